/// How the value of one property is kept in a row. The raw values stand in the files of binary stores,
/// so new kinds come last.
enum StorageKind: UInt8, Sendable {
    /// Integer 16, 32 and 64: a 64-bit integer.
    case integer16, integer32, integer64
    /// 0 or 1.
    case boolean
    case double, float
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date
    /// UTF-8.
    case string
    /// The absolute string, UTF-8.
    case uri
    /// The decimal's exact text, UTF-8.
    case decimal
    case binary
    /// 16 bytes.
    case uuid
    /// The bytes that the value transformer made; those of a `CompositeLayout`.
    case transformable
    /// A `RowReference`.
    case toOne
    /// Not in the row: the other side or a join table holds it.
    case toMany
    /// In memory only: transient attributes and relationships, undefined attributes, fetched
    /// properties.
    case volatile

    /// Whether a row has a value for the property.
    var isInRow: Bool { rawValue < StorageKind.toMany.rawValue }
    /// Whether the value lives in the row's tail, after the slots.
    var isInTail: Bool {
        switch self {
        case .string, .uri, .decimal, .binary, .uuid, .transformable: true
        default: false
        }
    }
}
