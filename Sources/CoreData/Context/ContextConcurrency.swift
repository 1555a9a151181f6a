/// How a context guards its objects.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The context belongs to the thread that made it.
    @available(*, deprecated, message: "Use a private-queue or main-queue context.")
    case confinementConcurrencyType = 0
    /// The context has a queue of its own; reach it with `perform(_:)`.
    case privateQueueConcurrencyType = 1
    /// The context is used on the main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// How a context guards its objects.
    public struct ConcurrencyType: Hashable, RawRepresentable, Sendable {
        public var rawValue: NSManagedObjectContextConcurrencyType
        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }
        /// The context has a queue of its own; reach it with `perform(_:)`.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
        /// The context is used on the main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    }

    /// When an asynchronous `perform` runs.
    public enum ScheduledTaskType: Sendable {
        /// At once, if the caller is on the context's queue already.
        case immediate
        /// Behind what the queue has.
        case enqueued
    }
}
