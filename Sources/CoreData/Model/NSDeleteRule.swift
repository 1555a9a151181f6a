/// What becomes of the objects at the other end when an object is deleted.
public enum NSDeleteRule: UInt, Sendable {
    /// Nothing: they keep pointing at the deleted object.
    case noActionDeleteRule = 0
    /// They no longer point at it.
    case nullifyDeleteRule = 1
    /// They are deleted too.
    case cascadeDeleteRule = 2
    /// The object can't be deleted while there are any: the save fails.
    case denyDeleteRule = 3
}
