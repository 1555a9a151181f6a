/// Operators that join publishers. They end when all have, or one has failed.
extension Publisher {
    /// The values of both, as they come.
    public func merge<Other: Publisher>(with other: Other) -> AnyPublisher<Output, Failure>
    where Other.Output == Output, Other.Failure == Failure {
        AnyPublisher { target in
            let stage = Stage(target)
            let open = Shared(2)
            let receiver = stage.receiver(endingWith: open)
            stage.hold(subscribe(receiver))
            stage.hold(other.subscribe(receiver))
            return AnyCancellable { stage.cancel() }
        }
    }

    /// The last values of both, whenever one comes and both have sent some.
    public func combineLatest<Other: Publisher>(
        _ other: Other
    ) -> AnyPublisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
        AnyPublisher { target in
            let stage = Stage(target)
            let open = Shared(2)
            let last = Shared<(Output?, Other.Output?)>((nil, nil))
            func send(_ change: (inout (Output?, Other.Output?)) -> Void) {
                let both = last.withLock { last in
                    change(&last)
                    return last
                }
                if let left = both.0, let right = both.1 { stage.send((left, right)) }
            }
            stage.hold(
                subscribe(
                    Receiver(
                        value: { value in send { $0.0 = value } },
                        completion: stage.receiver(endingWith: open).completion
                    )
                )
            )
            stage.hold(
                other.subscribe(
                    Receiver(
                        value: { value in send { $0.1 = value } },
                        completion: stage.receiver(endingWith: open).completion
                    )
                )
            )
            return AnyCancellable { stage.cancel() }
        }
    }

    /// The values of the publishers that are made of the values.
    public func flatMap<Other: Publisher>(
        _ transform: @escaping (Output) -> Other
    ) -> AnyPublisher<Other.Output, Failure> where Other.Failure == Failure {
        staged { stage in
            let open = Shared(1)
            let receiver = stage.receiver(endingWith: open)
            return Receiver {
                open.withLock { $0 += 1 }
                stage.hold(transform($0).subscribe(receiver))
            } completion: {
                receiver.completion($0)
            }
        }
    }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
    /// The values of the publisher that came last.
    public func switchToLatest() -> AnyPublisher<Output.Output, Failure> {
        staged { stage in
            let open = Shared(1)
            let current = Shared<AnyCancellable?>(nil)
            let receiver = stage.receiver(endingWith: open)
            return Receiver { publisher in
                let isFirst = current.withLock { $0 == nil }
                if isFirst { open.withLock { $0 += 1 } }
                let next = publisher.subscribe(receiver)
                let last = current.withLock { current in
                    defer { current = next }
                    return current
                }
                last?.cancel()
                stage.hold(AnyCancellable { next.cancel() })
            } completion: {
                receiver.completion($0)
            }
        }
    }
}

extension Stage {
    /// Passes on the end of the last of several publishers, and the first error.
    fileprivate func receiver(endingWith open: Shared<Int>) -> Receiver<Output, Failure> {
        Receiver(value: send) { completion in
            let rest = open.withLock { open in
                open -= 1
                return open
            }
            if case .failure = completion {
                self.finish(completion)
            } else if rest == 0 {
                self.finish(completion)
            }
        }
    }
}
