/// Operators that look at one value at a time.
extension Publisher {
    /// Makes another value of each.
    public func map<T>(_ transform: @escaping (Output) -> T) -> AnyPublisher<T, Failure> {
        staged { stage in
            Receiver(value: { stage.send(transform($0)) }, completion: stage.finish)
        }
    }

    /// The property of each value.
    public func map<T>(_ keyPath: KeyPath<Output, T>) -> AnyPublisher<T, Failure> {
        map { $0[keyPath: keyPath] }
    }

    /// Makes another value of each, or ends with an error.
    public func tryMap<T>(
        _ transform: @escaping (Output) throws -> T
    ) -> AnyPublisher<T, any Error> {
        staged { stage in
            Receiver {
                do {
                    stage.send(try transform($0))
                } catch {
                    stage.finish(.failure(error))
                }
            } completion: {
                stage.finish($0.mapError { $0 })
            }
        }
    }

    /// Makes another value of each; nil is left out.
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> AnyPublisher<T, Failure> {
        staged { stage in
            Receiver(
                value: { if let value = transform($0) { stage.send(value) } },
                completion: stage.finish
            )
        }
    }

    /// The values that satisfy a condition.
    public func filter(
        _ isIncluded: @escaping (Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        compactMap { isIncluded($0) ? $0 : nil }
    }

    /// Another value in the place of nil.
    public func replaceNil<T>(with output: T) -> AnyPublisher<T, Failure> where Output == T? {
        map { $0 ?? output }
    }

    /// Nothing but the end.
    public func ignoreOutput() -> AnyPublisher<Never, Failure> {
        staged { stage in Receiver(value: { _ in }, completion: stage.finish) }
    }

    /// Calls closures on the way.
    public func handleEvents(
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) -> AnyPublisher<Output, Failure> {
        staged { stage in
            Receiver {
                receiveOutput?($0)
                stage.send($0)
            } completion: {
                receiveCompletion?($0)
                stage.finish($0)
            }
        }
    }

    // MARK: Several values

    /// What a closure makes of each value and of its result for the one before.
    public func scan<T>(
        _ initialResult: T,
        _ nextPartialResult: @escaping (T, Output) -> T
    ) -> AnyPublisher<T, Failure> {
        staged { stage in
            let last = Shared(initialResult)
            return Receiver {
                // The closure is called without the lock: it is the client's, and may send.
                let next = nextPartialResult(last.withLock { $0 }, $0)
                last.withLock { $0 = next }
                stage.send(next)
            } completion: {
                stage.finish($0)
            }
        }
    }

    /// The values that differ from the one before.
    public func removeDuplicates(
        by predicate: @escaping (Output, Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        staged { stage in
            let last = Shared<Output?>(nil)
            return Receiver {
                let value = $0
                let before = last.withLock { last in
                    defer { last = value }
                    return last
                }
                // Without the lock, as in `scan`.
                if let before, predicate(before, value) { return }
                stage.send(value)
            } completion: {
                stage.finish($0)
            }
        }
    }

    /// All values in one array, at the end.
    public func collect() -> AnyPublisher<[Output], Failure> {
        staged { stage in
            let all = Shared<[Output]>([])
            return Receiver {
                let value = $0
                all.withLock { $0.append(value) }
            } completion: { completion in
                if case .finished = completion { stage.send(all.withLock { $0 }) }
                stage.finish(completion)
            }
        }
    }

    /// All but the first values.
    public func dropFirst(_ count: Int = 1) -> AnyPublisher<Output, Failure> {
        staged { stage in
            let left = Shared(count)
            return Receiver {
                let isDropped = left.withLock { left in
                    defer { left = Swift.max(left - 1, 0) }
                    return left > 0
                }
                if !isDropped { stage.send($0) }
            } completion: {
                stage.finish($0)
            }
        }
    }

    /// The first values, and the end behind them.
    public func prefix(_ maxLength: Int) -> AnyPublisher<Output, Failure> {
        staged { stage in
            let left = Shared(maxLength)
            if maxLength <= 0 { stage.finish(.finished) }
            return Receiver {
                let rest = left.withLock { left in
                    left -= 1
                    return left
                }
                // Other threads may send while the last value is on its way: theirs are beyond the
                // count.
                if rest >= 0 { stage.send($0) }
                if rest == 0 { stage.finish(.finished) }
            } completion: {
                stage.finish($0)
            }
        }
    }

    /// The first value, and the end behind it.
    public func first() -> AnyPublisher<Output, Failure> { prefix(1) }

    /// The first value that satisfies a condition, and the end behind it.
    public func first(
        where predicate: @escaping (Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        filter(predicate).first()
    }

    /// Some values before all others.
    public func prepend(_ elements: Output...) -> AnyPublisher<Output, Failure> {
        AnyPublisher { target in
            // Before the publisher is subscribed to, for it may send at once.
            for element in elements { target.value(element) }
            return subscribe(target)
        }
    }
}

extension Publisher where Output: Equatable {
    /// The values that differ from the one before.
    public func removeDuplicates() -> AnyPublisher<Output, Failure> { removeDuplicates(by: ==) }
}

extension Subscribers.Completion {
    func mapError<E: Error>(_ transform: (Failure) -> E) -> Subscribers.Completion<E> {
        switch self {
        case .finished: .finished
        case .failure(let error): .failure(transform(error))
        }
    }
}
