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
                // Taken in under the lock, so that the last ones come last; but sent without it: a
                // receiver may make either publisher send again.
                last.withLock { last in
                    change(&last)
                    if let left = last.0, let right = last.1 { stage.enqueue((left, right)) }
                }
                stage.deliver()
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
            // The publisher itself counts: as long as it has not ended, more may come.
            let open = Shared(1)
            let receiver = stage.receiver(endingWith: open)
            return Receiver {
                let publisher = transform($0)
                // Counted before it is subscribed to: it may end within the call, and must not take
                // the stage with it.
                open.withLock { $0 += 1 }
                let number = stage.reserve()
                let subscription = publisher.subscribe(
                    Receiver(value: receiver.value) { completion in
                        stage.release(number)
                        receiver.completion(completion)
                    }
                )
                stage.hold(subscription, as: number)
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
            let state = Shared(LatestPublisher())
            return Receiver { publisher in
                let number = stage.reserve()
                let last = state.withLock { state in
                    defer { state.latest = number }
                    return state.latest
                }
                // Before the next one is subscribed to, for which the last one might send again.
                if let last { stage.release(last) }
                let subscription = publisher.subscribe(
                    Receiver { value in
                        // Another thread may be about to send a value of the one before.
                        state.withLock { if $0.latest == number { stage.enqueue(value) } }
                        stage.deliver()
                    } completion: { completion in
                        guard let isEnd = state.withLock({ $0.isEnd(completion, of: number) })
                        else { return }
                        if isEnd { stage.finish(completion) } else { stage.release(number) }
                    }
                )
                stage.hold(subscription, as: number)
            } completion: { completion in
                if state.withLock({ $0.isEnd(completion) }) { stage.finish(completion) }
            }
        }
    }
}

/// Which publisher is listened to, and who may still send.
private struct LatestPublisher {
    /// The number of its subscription; nil if there is none, or it has ended.
    var latest: Int?
    /// Whether no other will come.
    private var isLast = false

    /// Whether an end of the publisher of publishers is the end of all.
    mutating func isEnd<Failure>(_ completion: Subscribers.Completion<Failure>) -> Bool {
        isLast = true
        if case .failure = completion { return true }
        return latest == nil
    }

    /// Whether an end of a publisher is the end of all; nil if it is not the latest.
    mutating func isEnd<Failure>(
        _ completion: Subscribers.Completion<Failure>,
        of number: Int
    ) -> Bool? {
        guard latest == number else { return nil }
        latest = nil
        if case .failure = completion { return true }
        return isLast
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
