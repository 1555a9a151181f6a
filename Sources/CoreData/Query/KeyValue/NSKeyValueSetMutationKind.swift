/// How a to-many relationship is changed.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Objects are added.
    case union = 1
    /// Objects are removed.
    case minus = 2
    /// All but some objects are removed.
    case intersect = 3
    /// The content is replaced.
    case set = 4
}
