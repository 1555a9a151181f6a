/// Operators for what fails.
extension Publisher {
    /// Makes another error of the one that this fails with.
    public func mapError<E: Error>(
        _ transform: @escaping (Failure) -> E
    ) -> AnyPublisher<Output, E> {
        staged { stage in
            Receiver(value: stage.send) { stage.finish($0.mapError(transform)) }
        }
    }

    /// A value in the place of an error, and the end behind it.
    public func replaceError(with output: Output) -> AnyPublisher<Output, Never> {
        staged { stage in
            Receiver(value: stage.send) { completion in
                if case .failure = completion { stage.send(output) }
                stage.finish(.finished)
            }
        }
    }

    /// Another publisher in the place of an error.
    public func `catch`<Other: Publisher>(
        _ handler: @escaping (Failure) -> Other
    ) -> AnyPublisher<Output, Other.Failure> where Other.Output == Output {
        staged { stage in
            Receiver(value: stage.send) { completion in
                switch completion {
                case .finished: stage.finish(.finished)
                case .failure(let error): stage.hold(handler(error).subscribe(stage.receiver))
                }
            }
        }
    }
}

extension Publisher where Failure == Never {
    /// This publisher, as one that may fail.
    public func setFailureType<E: Error>(to failureType: E.Type) -> AnyPublisher<Output, E> {
        staged { stage in
            Receiver(value: stage.send) { _ in stage.finish(.finished) }
        }
    }
}
