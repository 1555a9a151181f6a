import Foundation

/// Where closures run later: queues and run loops.
public protocol Scheduler {
    /// Runs a closure as soon as it can.
    func schedule(_ action: @escaping () -> Void)
    /// Runs a closure some time later.
    func schedule(after interval: SchedulerInterval, _ action: @escaping () -> Void)
}

/// A time span: `.milliseconds(300)`, `.seconds(1)`, `0.5`.
public struct SchedulerInterval: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, Sendable {
    /// The span in seconds.
    public let seconds: TimeInterval

    /// Makes a span of seconds.
    public init(floatLiteral value: Double) { seconds = value }
    /// Makes a span of seconds.
    public init(integerLiteral value: Int) { seconds = Double(value) }

    private init(_ seconds: TimeInterval) { self.seconds = seconds }

    /// A span of seconds.
    public static func seconds(_ count: Int) -> SchedulerInterval { Self(Double(count)) }
    /// A span of seconds.
    public static func seconds(_ count: Double) -> SchedulerInterval { Self(count) }
    /// A span of milliseconds.
    public static func milliseconds(_ count: Int) -> SchedulerInterval { Self(Double(count) / 1e3) }
    /// A span of microseconds.
    public static func microseconds(_ count: Int) -> SchedulerInterval { Self(Double(count) / 1e6) }
    /// A span of nanoseconds.
    public static func nanoseconds(_ count: Int) -> SchedulerInterval { Self(Double(count) / 1e9) }
}

/// A closure on its way to another thread; whoever schedules it answers for what it uses.
private struct Action: @unchecked Sendable {
    let body: () -> Void
}

extension DispatchQueue: Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        let action = Action(body: action)
        async { action.body() }
    }

    public func schedule(after interval: SchedulerInterval, _ action: @escaping () -> Void) {
        let action = Action(body: action)
        asyncAfter(deadline: .now() + interval.seconds) { action.body() }
    }
}

extension OperationQueue: Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        let action = Action(body: action)
        addOperation { action.body() }
    }

    public func schedule(after interval: SchedulerInterval, _ action: @escaping () -> Void) {
        let action = Action(body: action)
        // An operation queue has no delays, so another queue waits and hands the closure over.
        DispatchQueue.global().schedule(after: interval) { self.schedule(action.body) }
    }
}

extension RunLoop: Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        let action = Action(body: action)
        perform { action.body() }
    }

    public func schedule(after interval: SchedulerInterval, _ action: @escaping () -> Void) {
        let action = Action(body: action)
        add(
            Timer(timeInterval: interval.seconds, repeats: false) { _ in action.body() },
            forMode: .default
        )
    }
}

/// Runs closures where it is asked to, at once.
public struct ImmediateScheduler: Scheduler, Sendable {
    /// The one there is.
    public static let shared = ImmediateScheduler()

    public func schedule(_ action: @escaping () -> Void) { action() }

    public func schedule(after interval: SchedulerInterval, _ action: @escaping () -> Void) {
        action()
    }
}

extension Publisher {
    /// Values and the end on a queue or run loop.
    public func receive<S: Scheduler>(on scheduler: S) -> AnyPublisher<Output, Failure> {
        staged { stage in
            Receiver { value in
                scheduler.schedule { stage.send(value) }
            } completion: { completion in
                scheduler.schedule { stage.finish(completion) }
            }
        }
    }

    /// Subscribes on a queue or run loop.
    public func subscribe<S: Scheduler>(on scheduler: S) -> AnyPublisher<Output, Failure> {
        AnyPublisher { target in
            let stage = Stage(target)
            scheduler.schedule { stage.hold(self.subscribe(stage.receiver)) }
            return AnyCancellable { stage.cancel() }
        }
    }

    /// Values some time later.
    public func delay<S: Scheduler>(
        for interval: SchedulerInterval,
        scheduler: S
    ) -> AnyPublisher<Output, Failure> {
        staged { stage in
            Receiver { value in
                scheduler.schedule(after: interval) { stage.send(value) }
            } completion: { completion in
                scheduler.schedule(after: interval) { stage.finish(completion) }
            }
        }
    }

    /// A value when no other has come for some time.
    public func debounce<S: Scheduler>(
        for dueTime: SchedulerInterval,
        scheduler: S
    ) -> AnyPublisher<Output, Failure> {
        staged { stage in
            let count = Shared(0)
            return Receiver { value in
                let own = count.withLock { count in
                    count += 1
                    return count
                }
                scheduler.schedule(after: dueTime) {
                    // A closure that is scheduled can't be taken back; it finds out by the number
                    // that a later value has come.
                    if count.withLock({ $0 }) == own { stage.send(value) }
                }
            } completion: { completion in
                scheduler.schedule { stage.finish(completion) }
            }
        }
    }
}
