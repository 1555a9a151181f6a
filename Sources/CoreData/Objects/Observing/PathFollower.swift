/// Someone who is told before and after each change of a value.
protocol ChangeObserver: AnyObject {
    func willChange()
    /// - Parameter isReal: Whether the value is another one.
    func didChange(isReal: Bool)
}

/// Watches the properties along a key path, and those that they are computed from.
///
/// > Threading: On the queue of the object's context.
final class PathFollower: ChangeObserver {
    private weak var object: NSManagedObject?
    private let key: String
    private let rest: String?
    private let observer: any ChangeObserver
    /// On the object that the first key leads to.
    private var next: PathFollower?
    /// On what the first key's value is computed from.
    private var causes: [PathFollower] = []

    init(_ object: NSManagedObject, _ path: String, _ observer: any ChangeObserver) {
        self.object = object
        self.observer = observer
        let parts = path.split(separator: ".", maxSplits: 1)
        key = parts.first.map(String.init) ?? path
        rest = parts.count > 1 ? String(parts[1]) : nil
        object.addObserver(self, forKey: key)
        followValue()
        causes = type(of: object).keyPathsForValuesAffectingValue(forKey: key)
            .filter { $0 != key }
            .map { PathFollower(object, $0, self) }
    }

    func stop() {
        object?.removeObserver(self, forKey: key)
        next?.stop()
        for cause in causes { cause.stop() }
        next = nil
        causes = []
    }

    func willChange() { observer.willChange() }

    func didChange(isReal: Bool) {
        // The object in the middle may be another one now: its observers move along.
        next?.stop()
        followValue()
        observer.didChange(isReal: isReal)
    }

    private func followValue() {
        guard let rest, let object else { return }
        next = (object.value(forKey: key) as? NSManagedObject).map {
            PathFollower($0, rest, observer)
        }
    }
}
