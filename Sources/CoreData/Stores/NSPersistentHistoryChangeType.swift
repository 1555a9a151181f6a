/// What a change did to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The object is new.
    case insert = 0
    /// Properties of the object changed.
    case update = 1
    /// The object was deleted.
    case delete = 2
}
