import Foundation

/// An observer that was added by the name of a key path.
///
/// > Threading: On the queue of the observed object's context.
final class KeyPathRegistration: ChangeObserver {
    private weak var object: NSManagedObject?
    private(set) weak var observer: (any KeyValueObserver)?
    let keyPath: String
    let context: UnsafeMutableRawPointer?
    private let options: NSKeyValueObservingOptions
    private var follower: PathFollower?
    /// The values before the changes that are under way; observers may make changes.
    private var before: [Any?] = []

    init(
        _ object: NSManagedObject,
        _ keyPath: String,
        _ observer: any KeyValueObserver,
        _ options: NSKeyValueObservingOptions,
        _ context: UnsafeMutableRawPointer?
    ) {
        self.object = object
        self.observer = observer
        self.keyPath = keyPath
        self.options = options
        self.context = context
        follower = PathFollower(object, keyPath, self)
    }

    /// Tells the observer of the value as it is, if it has asked for that.
    func tellInitial() {
        if options.contains(.initial) { tell() }
    }

    func stop() {
        follower?.stop()
        forget()
    }

    /// Lets go of the follower, which holds this one.
    func forget() { follower = nil }

    func willChange() {
        let old = options.contains(.old) ? value : nil
        before.append(old)
        if options.contains(.prior) { tell(old: old, isPrior: true) }
    }

    func didChange(isReal: Bool) {
        // Taken off before the observer is told: a change that it makes itself puts its own on the
        // list.
        let old = before.popLast() ?? nil
        if isReal { tell(old: old) }
    }

    private var value: Any? { object?.value(forKeyPath: keyPath) ?? NSNull() }

    private func tell(old: Any? = nil, isPrior: Bool = false) {
        guard let object, let observer else { return }
        var change: [NSKeyValueChangeKey: Any] = [
            .kindKey: NSNumber(value: NSKeyValueChange.setting.rawValue)
        ]
        change[.oldKey] = old
        if isPrior {
            change[.notificationIsPriorKey] = NSNumber(value: true)
        } else if options.contains(.new) {
            change[.newKey] = value
        }
        observer.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
}
