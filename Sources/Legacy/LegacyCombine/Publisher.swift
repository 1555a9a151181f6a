/// Sends values to whoever subscribes, and may end.
///
/// A small part of Apple's Combine, for clients that listen to notifications and objects:
/// publishers send whatever comes, nobody asks for a number of values. So there are no subscribers
/// and subscriptions to write, and publishers of one's own are made of subjects.
public protocol Publisher<Output, Failure> {
    /// What it sends.
    associatedtype Output
    /// What it may fail with; `Never` if it can't.
    associatedtype Failure: Error

    /// Calls a receiver from now on.
    ///
    /// Stands in for Combine's `receive(subscriber:)`; call `sink`.
    ///
    /// - Returns: Ends the subscription with itself.
    func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable
}

/// Types about those who receive values.
public enum Subscribers {
    /// The end of a publisher.
    public enum Completion<Failure: Error> {
        /// It has sent all.
        case finished
        /// It has failed.
        case failure(Failure)
    }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Sendable where Failure: Sendable {}

/// The two closures that a publisher calls.
public struct Receiver<Input, Failure: Error> {
    /// Takes a value.
    public let value: (Input) -> Void
    /// Takes the end; nothing comes after it.
    public let completion: (Subscribers.Completion<Failure>) -> Void

    /// Makes a receiver of its closures.
    public init(
        value: @escaping (Input) -> Void,
        completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        self.value = value
        self.completion = completion
    }
}

/// A publisher of which nothing but its types is known.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let body: (Receiver<Output, Failure>) -> AnyCancellable

    /// Makes a publisher of what happens when somebody subscribes.
    init(_ body: @escaping (Receiver<Output, Failure>) -> AnyCancellable) { self.body = body }

    /// Makes a publisher that stands for another.
    public init<Other: Publisher>(_ publisher: Other)
    where Other.Output == Output, Other.Failure == Failure {
        body = publisher.subscribe
    }

    public func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable {
        body(receiver)
    }
}

extension Publisher {
    /// This publisher without its type.
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }

    /// Receives values, and the end.
    ///
    /// > Threading: The closures run where values are sent.
    ///
    /// - Returns: Keep it: the subscription ends with it.
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let stage = Stage(Receiver(value: receiveValue, completion: receiveCompletion))
        stage.hold(subscribe(stage.receiver))
        return AnyCancellable { stage.cancel() }
    }
}

extension Publisher where Failure == Never {
    /// Receives values.
    ///
    /// > Threading: The closure runs where values are sent.
    ///
    /// - Returns: Keep it: the subscription ends with it.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }

    /// Sets a property of an object to each value. The object is kept until the subscription ends.
    ///
    /// - Returns: Keep it: the subscription ends with it.
    public func assign<Root>(
        to keyPath: ReferenceWritableKeyPath<Root, Output>,
        on object: Root
    ) -> AnyCancellable {
        sink { object[keyPath: keyPath] = $0 }
    }
}
