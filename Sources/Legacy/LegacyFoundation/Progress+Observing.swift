import CoreData
import Foundation

/// Observing how far some work is.
extension Progress {
    /// Calls back when a property has another value.
    ///
    /// Foundation does not tell of changes on Linux. So the property is looked at a hundred times a
    /// second, and once more when the observation ends; what comes and goes in between is missed.
    ///
    /// > Threading: The handler is called on a queue of its own, and where the observation is ended.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: What the handler is told.
    ///   - changeHandler: Called with the progress and the change.
    /// - Returns: Keep it: the observation ends with it.
    public func observe<Value: Equatable>(
        _ keyPath: KeyPath<Progress, Value>,
        options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Progress, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let watch = ProgressWatch(self, keyPath, options, changeHandler)
        watch.start()
        return NSKeyValueObservation { watch.stop() }
    }
}

/// Looks at a property of a progress again and again.
private final class ProgressWatch<Value: Equatable>: @unchecked Sendable {
    // @unchecked: `last` and `isOver` are touched under `lock` only; a progress is for any thread.
    private weak var progress: Progress?
    private let keyPath: KeyPath<Progress, Value>
    private let options: NSKeyValueObservingOptions
    private let handler: (Progress, NSKeyValueObservedChange<Value>) -> Void
    /// Recursive, for the handler may end the observation.
    private let lock = NSRecursiveLock()
    private var last: Value
    private var isOver = false
    private let timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "LegacyFoundation.ProgressWatch")
    )

    init(
        _ progress: Progress,
        _ keyPath: KeyPath<Progress, Value>,
        _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Progress, NSKeyValueObservedChange<Value>) -> Void
    ) {
        self.progress = progress
        self.keyPath = keyPath
        self.options = options
        self.handler = handler
        last = progress[keyPath: keyPath]
    }

    func start() {
        // Before the timer runs, or a change could be told of first.
        if options.contains(.initial), let progress { tell(progress, nil, last) }
        // The observation alone keeps the watch, so that it ends with it.
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: .now(), repeating: .milliseconds(10), leeway: .milliseconds(2))
        timer.activate()
    }

    func stop() {
        // Once more, for the last change may have come since the timer looked.
        look()
        lock.withLock { isOver = true }
        timer.cancel()
    }

    private func look() {
        lock.withLock {
            guard !isOver, let progress else { return }
            let value = progress[keyPath: keyPath]
            guard value != last else { return }
            let old = last
            last = value
            // Within the lock, so that no other look tells of a later value first.
            tell(progress, old, value)
        }
    }

    private func tell(_ progress: Progress, _ old: Value?, _ new: Value) {
        let change = NSKeyValueObservedChange(
            newValue: options.contains(.new) ? new : nil,
            oldValue: options.contains(.old) ? old : nil
        )
        handler(progress, change)
    }
}
