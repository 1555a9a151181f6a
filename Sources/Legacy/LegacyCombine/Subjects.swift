/// A publisher whose values are sent by hand.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Sends a value.
    func send(_ value: Output)
    /// Sends the end.
    func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
    /// Sends a signal.
    public func send() { send(()) }
}

/// The receivers of a subject.
struct ReceiverList<Output, Failure: Error> {
    private var stages: [(id: Int, stage: Stage<Output, Failure>)] = []
    private var count = 0
    /// How it ended; nil if it has not.
    private(set) var completion: Subscribers.Completion<Failure>?

    /// Adds a receiver; one that comes after the end takes in nothing but that.
    mutating func add(_ stage: Stage<Output, Failure>) -> Int {
        count += 1
        if let completion { stage.enqueue(completion) } else { stages.append((count, stage)) }
        return count
    }

    /// - Returns: The receiver, which the caller lets go of without a lock.
    mutating func remove(_ id: Int) -> Stage<Output, Failure>? {
        stages.firstIndex { $0.id == id }.map { stages.remove(at: $0).stage }
    }

    /// Has all take in a value.
    ///
    /// - Returns: Who is to deliver it.
    func enqueue(_ value: Output) -> [Stage<Output, Failure>] {
        stages.map { _, stage in
            stage.enqueue(value)
            return stage
        }
    }

    /// Has all take in the end, the first time.
    ///
    /// - Returns: Who is to finish.
    mutating func end(_ completion: Subscribers.Completion<Failure>) -> [Stage<Output, Failure>] {
        guard self.completion == nil else { return [] }
        self.completion = completion
        defer { stages = [] }
        return stages.map { _, stage in
            stage.enqueue(completion)
            return stage
        }
    }
}

/// A subject that keeps nothing.
///
/// > Threading: Any thread. Receivers are called where values are sent, each with one value after the
/// > other: what a thread sends while another one calls a receiver is passed on by that other one.
public final class PassthroughSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
    // @unchecked: the list is guarded by its lock; receivers are the client's.
    private let list = Shared(ReceiverList<Output, Failure>())

    /// Makes a subject.
    public init() {}

    public func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable {
        let stage = Stage(receiver)
        let id = list.withLock { $0.add(stage) }
        stage.deliver()
        return AnyCancellable { [list] in
            stage.cancel()
            _ = list.withLock { $0.remove(id) }
        }
    }

    public func send(_ value: Output) {
        for stage in list.withLock({ $0.enqueue(value) }) { stage.deliver() }
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        for stage in list.withLock({ $0.end(completion) }) { stage.finish(completion) }
    }
}

/// A subject that keeps its last value, which who subscribes receives first.
///
/// > Threading: Any thread. Receivers are called as those of a `PassthroughSubject` are.
public final class CurrentValueSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
    // @unchecked: as PassthroughSubject.
    private let state: Shared<(value: Output, list: ReceiverList<Output, Failure>)>
    private let kept = Shared<[AnyCancellable]>([])

    /// Makes a subject with a value.
    public init(_ value: Output) { state = Shared((value, ReceiverList())) }

    /// The last value; setting it sends it.
    public var value: Output {
        get { state.withLock { $0.value } }
        set { send(newValue) }
    }

    public func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable {
        let stage = Stage(receiver)
        // Under one lock, so that no value is missed, and none overtakes the one that is there.
        let id = state.withLock { state in
            if state.list.completion == nil { stage.enqueue(state.value) }
            return state.list.add(stage)
        }
        stage.deliver()
        return AnyCancellable { [state] in
            stage.cancel()
            _ = state.withLock { $0.list.remove(id) }
        }
    }

    public func send(_ value: Output) {
        let (stages, old) = state.withLock { state in
            // What is sent after the end is no value of the subject's any more.
            guard state.list.completion == nil else { return ([Stage<Output, Failure>](), value) }
            let old = state.value
            state.value = value
            return (state.list.enqueue(value), old)
        }
        for stage in stages { stage.deliver() }
        // Not under the lock: its end may run code that asks for the value.
        withExtendedLifetime(old) {}
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        let stages = state.withLock { $0.list.end(completion) }
        for stage in stages { stage.finish(completion) }
    }

    /// Keeps a subscription as long as the subject lives.
    func keep(_ subscription: AnyCancellable) { kept.withLock { $0.append(subscription) } }
}
