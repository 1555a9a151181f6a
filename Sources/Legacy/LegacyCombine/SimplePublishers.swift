/// One value, and the end.
public struct Just<Output>: Publisher {
    /// What it may fail with.
    public typealias Failure = Never
    /// The value.
    public let output: Output

    /// Makes a publisher of a value.
    public init(_ output: Output) { self.output = output }

    public func subscribe(_ receiver: Receiver<Output, Never>) -> AnyCancellable {
        receiver.value(output)
        receiver.completion(.finished)
        return AnyCancellable {}
    }
}

/// No value, and at once the end, if there is one.
public struct Empty<Output, Failure: Error>: Publisher {
    /// Whether it ends.
    public let completeImmediately: Bool

    /// Makes a publisher of nothing.
    public init(completeImmediately: Bool = true) {
        self.completeImmediately = completeImmediately
    }

    public func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable {
        if completeImmediately { receiver.completion(.finished) }
        return AnyCancellable {}
    }
}

/// An error.
public struct Fail<Output, Failure: Error>: Publisher {
    /// The error.
    public let error: Failure

    /// Makes a publisher of an error.
    public init(error: Failure) { self.error = error }
    /// Makes a publisher of an error, whose values would be of a type.
    public init(outputType: Output.Type, failure: Failure) { error = failure }

    public func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable {
        receiver.completion(.failure(error))
        return AnyCancellable {}
    }
}

/// One value or error that comes when it is there; its work begins at once.
///
/// > Threading: Any thread.
public final class Future<Output, Failure: Error>: Publisher, @unchecked Sendable {
    // @unchecked: the subject guards itself; the client's closure runs once.

    /// Keeps a promise.
    public typealias Promise = (Result<Output, Failure>) -> Void
    private let subject = CurrentValueSubject<Result<Output, Failure>?, Never>(nil)

    /// Makes a publisher, and runs the closure, which is to keep the promise once.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let isKept = Shared(false)
        attemptToFulfill { [subject] result in
            // Several threads may keep it; the first one counts.
            let isFirst = isKept.withLock { isKept in
                defer { isKept = true }
                return !isKept
            }
            if isFirst { subject.send(result) }
        }
    }

    public func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable {
        let stage = Stage(receiver)
        let subscription = subject.sink { result in
            switch result {
            case nil: break
            case .success(let value)?:
                stage.send(value)
                stage.finish(.finished)
            case .failure(let error)?: stage.finish(.failure(error))
            }
        }
        stage.hold(subscription)
        return AnyCancellable { stage.cancel() }
    }
}

/// A publisher that is made when somebody subscribes.
public struct Deferred<Other: Publisher>: Publisher {
    /// What it sends.
    public typealias Output = Other.Output
    /// What it may fail with.
    public typealias Failure = Other.Failure
    private let make: () -> Other

    /// Makes a publisher of a closure.
    public init(createPublisher: @escaping () -> Other) { make = createPublisher }

    public func subscribe(_ receiver: Receiver<Output, Failure>) -> AnyCancellable {
        make().subscribe(receiver)
    }
}

extension Sequence {
    /// The elements, and the end.
    public var publisher: AnyPublisher<Element, Never> {
        AnyPublisher { target in
            let stage = Stage(target)
            for element in self { stage.send(element) }
            stage.finish(.finished)
            return AnyCancellable {}
        }
    }
}

extension Result {
    /// The value and the end, or the error.
    public var publisher: AnyPublisher<Success, Failure> {
        AnyPublisher { target in
            switch self {
            case .success(let value):
                target.value(value)
                target.completion(.finished)
            case .failure(let error): target.completion(.failure(error))
            }
            return AnyCancellable {}
        }
    }
}
