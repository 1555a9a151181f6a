/// How a background context guards its objects.
public enum BackgroundContextKind: Hashable, Sendable, CaseIterable {
    /// By a queue of its own: use it inside `perform(_:)` and `performAndWait(_:)`.
    case privateQueue
    /// By nothing but discipline: it belongs to the thread that makes it, as contexts did before
    /// queues came to Core Data.
    case confinement
}
