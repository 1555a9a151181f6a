/// A row that was changed, as whoever has to make the same change elsewhere needs it.
struct ChangedRow {
    let reference: RowReference
    /// Before the change.
    let oldVersion: Int32
    var changed: SlotSet
}

/// What a batch request has done to rows, in the order in which it was done.
struct BatchChanges {
    private(set) var updates: [ChangedRow] = []
    private var places: [RowReference: Int] = [:]
    private(set) var deletes: [StoreChangeSet.Delete] = []

    var isEmpty: Bool { updates.isEmpty && deletes.isEmpty }

    /// - Parameter rows: With the versions that they were given.
    mutating func update(_ rows: [VersionedReference], _ changed: SlotSet) {
        for row in rows {
            // A row that loses several references has been given a version for each.
            if let place = places[row.reference] {
                updates[place].changed.formUnion(changed)
                continue
            }
            places[row.reference] = updates.count
            updates.append(
                ChangedRow(
                    reference: row.reference,
                    oldVersion: row.version &- 1,
                    changed: changed
                )
            )
        }
    }

    /// - Parameter rows: With the versions that they had.
    mutating func delete(_ rows: [VersionedReference]) {
        deletes += rows.map {
            StoreChangeSet.Delete(reference: $0.reference, version: $0.version)
        }
    }
}

/// A row that a statement has changed or deleted, with the version that it says.
struct VersionedReference {
    let reference: RowReference
    let version: Int32
}
