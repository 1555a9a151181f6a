import Foundation
import Threads

/// A subscription in the middle of a chain: passes on what it receives until it is over.
///
/// The receiver is told of one thing after the other, in the order in which they came. What another
/// thread sends while the receiver is called waits for the call to return, and is passed on by the
/// thread that made it; what the receiver itself sends is passed on at once.
///
/// > Threading: Any thread. Receivers are called without a lock being held.
final class Stage<Output, Failure: Error>: @unchecked Sendable {
    // @unchecked: variables are touched under `lock` only.
    private enum Event {
        case value(Output)
        case end(Subscribers.Completion<Failure>)
    }
    private let lock = NSLock()
    /// nil when it is over.
    private var target: Receiver<Output, Failure>?
    /// Whether the end has come, which may wait for what came before it.
    private var hasEnded = false
    private var events = Deque<Event>()
    /// The thread that calls the receiver.
    private var deliverer: ObjectIdentifier?
    /// What the stage receives from; nil while it is subscribed to.
    private var subscriptions: [Int: AnyCancellable?] = [:]
    private var reservedCount = 0

    init(_ target: Receiver<Output, Failure>) { self.target = target }

    /// Passes all on to this stage.
    var receiver: Receiver<Output, Failure> {
        Receiver(value: { self.send($0) }, completion: { self.finish($0) })
    }

    // MARK: Passing on

    func send(_ value: Output) {
        enqueue(value)
        deliver()
    }

    func finish(_ completion: Subscribers.Completion<Failure>) {
        enqueue(completion)
        deliver()
        for subscription in takeSubscriptions() { subscription.cancel() }
    }

    /// Takes a value in for the next `deliver()`, so that a caller can settle the order of several
    /// under a lock of its own, and have the receiver called without it.
    func enqueue(_ value: Output) {
        lock.withLock {
            if target != nil, !hasEnded { events.append(.value(value)) }
        }
    }

    /// Takes the end in for the next `deliver()`; nothing is taken in after it.
    func enqueue(_ completion: Subscribers.Completion<Failure>) {
        lock.withLock {
            if target != nil, !hasEnded { events.append(.end(completion)) }
            hasEnded = true
        }
    }

    /// Passes on what was taken in, unless another thread is at it.
    func deliver() {
        let thread = ObjectIdentifier(Thread.current)
        let isNested = lock.withLock { () -> Bool? in
            guard deliverer == nil || deliverer == thread else { return nil }
            defer { deliverer = thread }
            return deliverer != nil
        }
        guard let isNested else { return }
        while let (target, event) = next(isNested: isNested) {
            switch event {
            case .value(let value): target.value(value)
            case .end(let completion): target.completion(completion)
            }
        }
    }

    /// The next event to pass on; nil if there is none, and nobody is at it any more.
    private func next(isNested: Bool) -> (Receiver<Output, Failure>, Event)? {
        lock.withLock {
            guard let target, let event = events.popFirst() else {
                // Under the same lock: whoever takes something in from here on passes it on.
                if !isNested { deliverer = nil }
                return nil
            }
            if case .end = event { self.target = nil }
            return (target, event)
        }
    }

    // MARK: Subscriptions

    /// A number for a subscription that is about to be made: it may end, or be given up, within the
    /// call that makes it.
    func reserve() -> Int {
        lock.withLock {
            reservedCount += 1
            subscriptions.updateValue(nil, forKey: reservedCount)
            return reservedCount
        }
    }

    /// Keeps what the stage receives from until it is over, or the subscription is released.
    func hold(_ subscription: AnyCancellable, as number: Int) {
        let isWanted = lock.withLock { () -> Bool in
            // Released meanwhile, if it is not there.
            guard subscriptions.removeValue(forKey: number) != nil, target != nil, !hasEnded
            else { return false }
            subscriptions[number] = subscription
            return true
        }
        // It may be over before it is told what it receives from: some publishers send all that
        // they have, and end, while they are subscribed to.
        if !isWanted { subscription.cancel() }
    }

    /// Keeps what the stage receives from until it is over.
    func hold(_ subscription: AnyCancellable) { hold(subscription, as: reserve()) }

    /// Gives up a subscription, or one that is about to be made.
    func release(_ number: Int) {
        // Out of the lock before it ends.
        let subscription = lock.withLock { subscriptions.removeValue(forKey: number) }
        subscription??.cancel()
    }

    func cancel() {
        // Both at once, so that of an end and a cancellation that meet only one has a receiver to
        // tell. They go outside of the lock, for a closure may be the last to keep a subscription.
        let ended = lock.withLock {
            defer {
                target = nil
                events = Deque()
            }
            return (target, events)
        }
        for subscription in takeSubscriptions() { subscription.cancel() }
        withExtendedLifetime(ended) {}
    }

    private func takeSubscriptions() -> [AnyCancellable] {
        lock.withLock {
            defer { subscriptions = [:] }
            return subscriptions.values.compactMap(\.self)
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
