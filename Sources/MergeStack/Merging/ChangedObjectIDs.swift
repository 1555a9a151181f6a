import CoreData

/// What a save changed, as object IDs.
struct ChangedObjectIDs: Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []

    var count: Int { inserted.count + updated.count + deleted.count }
    var isEmpty: Bool { count == 0 }

    /// This change set and a later one as one, in which each object is named once.
    ///
    /// An object that was inserted and deleted counts as deleted: the main context may have
    /// fetched it in between.
    func followed(by later: ChangedObjectIDs) -> ChangedObjectIDs {
        let deletedLater = Set(later.deleted), insertedBefore = Set(inserted)
        let changed = ChangedObjectIDs(
            inserted: (inserted + later.inserted).filter { !deletedLater.contains($0) },
            // A merge of IDs reads each row as it is then, so that an insertion brings later
            // updates along.
            updated: (updated + later.updated).filter {
                !deletedLater.contains($0) && !insertedBefore.contains($0)
            },
            deleted: deleted + later.deleted
        )
        return ChangedObjectIDs(
            inserted: Self.unique(changed.inserted),
            updated: Self.unique(changed.updated),
            deleted: Self.unique(changed.deleted)
        )
    }

    /// Removes up to `limit` of the IDs, as the next slice: inserted objects first, since updated
    /// ones may refer to them, and deleted ones last.
    mutating func takeFirst(_ limit: Int) -> ChangedObjectIDs {
        var taken = ChangedObjectIDs(), left = limit
        if count <= limit {
            swap(&taken, &self)
            return taken
        }
        func take(_ from: inout [NSManagedObjectID]) -> [NSManagedObjectID] {
            // From the end, since that costs nothing.
            let part = Array(from.suffix(left))
            from.removeLast(part.count)
            left -= part.count
            return part
        }
        taken.inserted = take(&inserted)
        taken.updated = take(&updated)
        taken.deleted = take(&deleted)
        return taken
    }

    /// How many objects of each entity there are.
    var countsByEntity: [String: MergeReport.ChangeCounts] {
        var counts: [String: MergeReport.ChangeCounts] = [:]
        func count(
            _ ids: [NSManagedObjectID],
            _ kind: WritableKeyPath<MergeReport.ChangeCounts, Int>
        ) {
            for id in ids { counts[id.entity.name ?? "", default: .init()][keyPath: kind] += 1 }
        }
        count(inserted, \.inserted)
        count(updated, \.updated)
        count(deleted, \.deleted)
        return counts
    }

    private static func unique(_ ids: [NSManagedObjectID]) -> [NSManagedObjectID] {
        var seen = Set<NSManagedObjectID>()
        return ids.filter { seen.insert($0).inserted }
    }
}

extension Notification {
    /// The objects under one of the keys of a did-save notification.
    func changedObjects(_ key: String) -> Set<NSManagedObject> {
        userInfo?[key] as? Set<NSManagedObject> ?? []
    }
}
