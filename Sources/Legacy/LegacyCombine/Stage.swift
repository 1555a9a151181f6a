import Foundation

/// A subscription in the middle of a chain: passes on what it receives until it is over.
///
/// > Threading: Any thread. Receivers are called without a lock being held.
final class Stage<Output, Failure: Error>: @unchecked Sendable {
    // @unchecked: variables are touched under `lock` only.
    private let lock = NSLock()
    /// nil when it is over.
    private var target: Receiver<Output, Failure>?
    private var upstream: [AnyCancellable] = []

    init(_ target: Receiver<Output, Failure>) { self.target = target }

    /// Passes all on to this stage.
    var receiver: Receiver<Output, Failure> {
        Receiver(value: { self.send($0) }, completion: { self.finish($0) })
    }

    func send(_ value: Output) { lock.withLock { target }?.value(value) }

    func finish(_ completion: Subscribers.Completion<Failure>) {
        let (target, upstream) = end()
        target?.completion(completion)
        for subscription in upstream { subscription.cancel() }
    }

    func cancel() {
        for subscription in end().1 { subscription.cancel() }
    }

    /// Keeps what the stage receives from until it is over.
    func hold(_ subscription: AnyCancellable) {
        let isOver = lock.withLock { () -> Bool in
            if target != nil { upstream.append(subscription) }
            return target == nil
        }
        if isOver { subscription.cancel() }
    }

    private func end() -> (Receiver<Output, Failure>?, [AnyCancellable]) {
        lock.withLock {
            defer {
                target = nil
                upstream = []
            }
            return (target, upstream)
        }
    }
}

/// A value that several threads change.
final class Shared<Value>: @unchecked Sendable {
    // @unchecked: `value` is touched under `lock` only.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Publisher {
    /// A publisher that subscribes to this one through a stage.
    func staged<T, E: Error>(
        _ receiver: @escaping (Stage<T, E>) -> Receiver<Output, Failure>
    ) -> AnyPublisher<T, E> {
        AnyPublisher { target in
            let stage = Stage(target)
            stage.hold(subscribe(receiver(stage)))
            return AnyCancellable { stage.cancel() }
        }
    }
}
