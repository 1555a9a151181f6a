import CoreData

/// How a background context guards its objects.
public enum BackgroundContextKind: Hashable, Sendable, CaseIterable {
    /// By a queue of its own: use it inside `perform(_:)` and `performAndWait(_:)`.
    case privateQueue
    /// By convention alone: it belongs to the thread that makes it, as all contexts did before
    /// Core Data had queues.
    case confinement

    /// The type of such contexts.
    var concurrencyType: NSManagedObjectContextConcurrencyType {
        switch self {
        case .privateQueue:
            return .privateQueueConcurrencyType
        case .confinement:
            // By its raw value, since the case is deprecated; confinement is what is asked for.
            guard let confinement = NSManagedObjectContextConcurrencyType(rawValue: 0) else {
                fatalError("This Core Data has no confinement contexts.")
            }
            return confinement
        }
    }
}
