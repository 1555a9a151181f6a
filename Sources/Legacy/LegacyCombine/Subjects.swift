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
    private var receivers: [(id: Int, receiver: Receiver<Output, Failure>)] = []
    private var count = 0
    /// How it ended; nil if it has not.
    private(set) var completion: Subscribers.Completion<Failure>?

    var all: [Receiver<Output, Failure>] { completion == nil ? receivers.map(\.receiver) : [] }

    mutating func add(_ receiver: Receiver<Output, Failure>) -> Int {
        count += 1
        if completion == nil { receivers.append((count, receiver)) }
        return count
    }

    mutating func remove(_ id: Int) { receivers.removeAll { $0.id == id } }

    /// - Returns: Who is to be told.
    mutating func end(
        _ completion: Subscribers.Completion<Failure>
    ) -> [Receiver<Output, Failure>] {
        guard self.completion == nil else { return [] }
        self.completion = completion
        defer { receivers = [] }
        return receivers.map(\.receiver)
    }
}

/// A subject that keeps nothing.
///
/// > Threading: Any thread. Receivers are called where values are sent.
public final class PassthroughSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
    // @unchecked: the list is guarded by its lock; receivers are the client's.
    private let list = Shared(ReceiverList<Output, Failure>())

    /// Makes a subject.
    public init() {}

    public func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable {
        let stage = Stage(receiver)
        let (id, completion) = list.withLock { ($0.add(stage.receiver), $0.completion) }
        if let completion { stage.finish(completion) }
        return AnyCancellable { [list] in
            stage.cancel()
            list.withLock { $0.remove(id) }
        }
    }

    public func send(_ value: Output) {
        for receiver in list.withLock({ $0.all }) { receiver.value(value) }
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        for receiver in list.withLock({ $0.end(completion) }) { receiver.completion(completion) }
    }
}

/// A subject that keeps its last value, which who subscribes receives first.
///
/// > Threading: Any thread. Receivers are called where values are sent.
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
        let (id, value, completion) = state.withLock {
            ($0.list.add(stage.receiver), $0.value, $0.list.completion)
        }
        if let completion { stage.finish(completion) } else { stage.send(value) }
        return AnyCancellable { [state] in
            stage.cancel()
            state.withLock { $0.list.remove(id) }
        }
    }

    public func send(_ value: Output) {
        let receivers = state.withLock { state in
            if state.list.completion == nil { state.value = value }
            return state.list.all
        }
        for receiver in receivers { receiver.value(value) }
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        let receivers = state.withLock { $0.list.end(completion) }
        for receiver in receivers { receiver.completion(completion) }
    }

    /// Keeps a subscription as long as the subject lives.
    func keep(_ subscription: AnyCancellable) { kept.withLock { $0.append(subscription) } }
}
