import CoreData

/// What an ``Exporter`` writes.
public struct ExportOptions: @unchecked Sendable {
    // @unchecked: predicates and sort descriptors are not changed once they are made.

    /// The condition that exported objects satisfy; nil, the default, exports all.
    public var predicate: NSPredicate?
    /// The order of the rows; if empty, which is the default, that of the store.
    ///
    /// Choose an order that the store has an index for: otherwise all rows are sorted for each
    /// page.
    public var sortDescriptors: [NSSortDescriptor] = []
    /// How many objects are in memory at a time.
    ///
    /// 5,000 by default.
    public var pageSize = 5000
    /// Called after each page, on a background queue.
    ///
    /// nil by default.
    public var onProgress: (@Sendable (ExportProgress) -> Void)?

    /// All objects, 5,000 at a time.
    public init() {}
}

/// How far an export is.
public struct ExportProgress: Hashable, Sendable {
    /// How many rows are written.
    public var rowCount: Int
    /// How many there were when it began.
    public var totalCount: Int
    /// How many objects the context had in memory for the last page, related ones included.
    public var registeredCount: Int
}

/// What an export wrote.
public struct ExportResult: Hashable, Sendable {
    /// How many rows there are.
    public internal(set) var rowCount = 0
    /// The length of the file.
    public internal(set) var byteCount = 0
    /// The properties of the entity that are not in the file, sorted: those of types that have no
    /// text, related objects without a key attribute, and to-many relationships without a
    /// `separator` in the model's user info.
    public internal(set) var leftOut: [String] = []
    /// How long it took.
    public internal(set) var duration = TimeInterval(0)
}
