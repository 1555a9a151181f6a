/// The state of a managed object in its context's unit of work.
struct ObjectFlags: OptionSet {
    let rawValue: UInt32

    /// No values yet, or values that nobody has looked at.
    static let fault = ObjectFlags(rawValue: 1 << 0)

    // What the next save does with the object; at most one is set.
    static let inserted = ObjectFlags(rawValue: 1 << 1)
    static let updated = ObjectFlags(rawValue: 1 << 2)
    static let deleted = ObjectFlags(rawValue: 1 << 3)

    // Whether the context's list has the object; lists keep objects whose state has changed since.
    static let listedInserted = ObjectFlags(rawValue: 1 << 4)
    static let listedUpdated = ObjectFlags(rawValue: 1 << 5)
    static let listedDeleted = ObjectFlags(rawValue: 1 << 6)

    // What happened since pending changes were last processed.
    static let pendingInsert = ObjectFlags(rawValue: 1 << 7)
    static let pendingUpdate = ObjectFlags(rawValue: 1 << 8)
    static let pendingDelete = ObjectFlags(rawValue: 1 << 9)
    static let pendingRefresh = ObjectFlags(rawValue: 1 << 10)

    /// Deleted by a merge, or found without a row: a save has nothing to do for it.
    static let gone = ObjectFlags(rawValue: 1 << 11)
    /// Delete rules were applied.
    static let deletePropagated = ObjectFlags(rawValue: 1 << 12)
    /// Was deleted by a save: the object has left its context.
    static let detached = ObjectFlags(rawValue: 1 << 13)
    /// Inserted in this unit of work, then deleted: it never was in the store.
    static let neverSaved = ObjectFlags(rawValue: 1 << 14)

    /// In use by whoever walks a list of objects, and cleared before it returns.
    static let marked = ObjectFlags(rawValue: 1 << 15)

    /// In `awakeFromFetch()`: what it sets is no change.
    static let awaking = ObjectFlags(rawValue: 1 << 16)

    /// An incremental store was told that the object is in use.
    static let announced = ObjectFlags(rawValue: 1 << 17)

    /// Some of the object's properties have observers.
    static let observed = ObjectFlags(rawValue: 1 << 18)

    /// An integer attribute was set to a number that it can't hold.
    static let outOfRange = ObjectFlags(rawValue: 1 << 19)

    /// Deleted by a rule for what others have related to something deleted here; nobody can undo
    /// that by itself.
    static let deletedLate = ObjectFlags(rawValue: 1 << 20)

    /// Saved again by a merge policy after others had deleted it: its row's versions begin anew.
    static let reinserted = ObjectFlags(rawValue: 1 << 21)

    /// The object's row could not be read when it was last asked for.
    static let unread = ObjectFlags(rawValue: 1 << 22)

    /// Was changed on top of what could not be read, and showed nothing in its place.
    static let misled = ObjectFlags(rawValue: 1 << 23)

    static let anyChange: ObjectFlags = [.inserted, .updated, .deleted]
    static let anyPending: ObjectFlags = [
        .pendingInsert, .pendingUpdate, .pendingDelete, .pendingRefresh,
    ]
}
