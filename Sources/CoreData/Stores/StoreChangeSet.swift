/// What a save asks of one store: sorted, so that the same changes give the same statements.
struct StoreChangeSet: @unchecked Sendable {
    /// A row to rewrite. `row.version` is one above `old.version`.
    struct Update: @unchecked Sendable {
        let row: Row
        /// The row as this save's context knew it; the save fails with a conflict if the
        /// store has another version by now.
        let old: Row
        /// The slots in which they differ.
        let changed: SlotSet
    }
    /// A row to remove, if it is still at this version.
    struct Delete: Sendable {
        let reference: RowReference
        let version: Int32
    }
    /// A change of a to-many relationship that the rows themselves do not say: a many-to-many,
    /// a to-many without inverse, or the order of an ordered one.
    struct ToManyChange: Sendable {
        let owner: RowReference
        let slot: Int
        var added: [RowReference]
        var removed: [RowReference]
        /// The whole content in order, if the relationship is ordered.
        var order: [RowReference]?
    }

    /// A value that no store has, on its way from a child context to its parent.
    struct TransientValue: @unchecked Sendable {
        // @unchecked: the child hands it over while it waits.

        let owner: RowReference
        let slot: Int
        /// As objects keep it; nil for nil.
        let content: AnyObject?
    }

    /// Complete new rows, at version 1.
    var inserts: [Row] = []
    /// Those of the new rows that take the place of deleted ones, with their keys.
    var reinserts: Set<RowReference> = []
    var updates: [Update] = []
    var deletes: [Delete] = []
    var toManyChanges: [ToManyChange] = []
    /// Only in saves of child contexts.
    var transientValues: [TransientValue] = []
    /// Who makes the changes.
    var origin = ChangeOrigin()
    /// Whether the rows are those of another store, with their keys: they may refer to rows that are
    /// yet to come.
    var isCopy = false
    /// Whether the save asks nothing of other stores.
    var isWholeSave = false

    var isEmpty: Bool {
        inserts.isEmpty && updates.isEmpty && deletes.isEmpty && toManyChanges.isEmpty
            && transientValues.isEmpty
    }
}

/// Rows refer to rows that a save would delete: others have written them since its context has
/// applied the delete rules.
struct LateReferences: Error {
    struct Entry {
        let row: RowReference
        let slot: Int
    }
    let entries: [Entry]
}

/// A save relates rows to some that are deleted: others have done that since it was validated, or in
/// another process.
struct LostTargets: Error {
    let references: [RowReference]
}

/// Rows that a save would overwrite are not what its context read.
struct RowConflicts: Error {
    struct Conflict: @unchecked Sendable {
        let reference: RowReference
        /// The version that the save expected.
        let expectedVersion: Int32
        /// The row that the store has now; nil if it was deleted.
        let stored: Row?
    }
    var conflicts: [Conflict]
}
