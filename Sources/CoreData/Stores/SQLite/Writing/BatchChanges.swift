/// A row that was changed, as whoever has to make the same change elsewhere needs it.
struct ChangedRow {
    let reference: RowReference
    /// Before the change.
    let oldVersion: Int32
    var changed: SlotSet
}

/// What a batch request has done to rows, in the order in which it was done.
struct BatchChanges {
    /// As they come: only who makes the same changes elsewhere needs each row once.
    private var noted: [ChangedRow] = []
    private(set) var deletes: [StoreChangeSet.Delete] = []

    var isEmpty: Bool { noted.isEmpty && deletes.isEmpty }

    /// The rows that were updated. One that has lost several references comes several times.
    var updatedReferences: [RowReference] { noted.map(\.reference) }

    /// The updated rows, each once, with the version that it had before the batch.
    var updates: [ChangedRow] {
        var result: [ChangedRow] = [], places: [RowReference: Int] = [:]
        for row in noted {
            if let place = places[row.reference] {
                result[place].changed.formUnion(row.changed)
            } else {
                places[row.reference] = result.count
                result.append(row)
            }
        }
        return result
    }

    /// - Parameter rows: With the versions that they were given.
    mutating func update(_ rows: [VersionedReference], _ changed: SlotSet) {
        noted += rows.map {
            ChangedRow(reference: $0.reference, oldVersion: $0.version &- 1, changed: changed)
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
