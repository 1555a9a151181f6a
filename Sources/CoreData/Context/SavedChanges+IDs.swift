extension SavedChanges {
    /// The sets of object IDs that the notifications of a save name.
    struct IDs {
        let inserted: Set<NSManagedObjectID>
        let updated: Set<NSManagedObjectID>
        let deleted: Set<NSManagedObjectID>

        /// - Parameter ahead: What was made of it already.
        init(_ changes: ChangeSet<NSManagedObject>, ahead: IDsAhead? = nil) {
            func ids(_ objects: [NSManagedObject], _ known: Set<NSManagedObjectID>? = nil)
                -> Set<NSManagedObjectID>
            {
                // Not each object that a save names has been written.
                if let known, known.count == objects.count { return known }
                return Set(distinct: objects.map(\.objectID))
            }
            let known = ahead?.sets()
            inserted = ids(changes.inserted, known?.inserted)
            updated = ids(changes.updated, known?.updated)
            deleted = ids(changes.deleted)
        }
    }

    /// The IDs of rows that a save writes, made while it does: by another processor, for that of the save
    /// waits for the file meanwhile.
    struct IDsAhead {
        typealias Sets = (inserted: Set<NSManagedObjectID>, updated: Set<NSManagedObjectID>)

        /// What is written to one store.
        private struct Written: @unchecked Sendable {
            // @unchecked: rows are immutable.

            let identity: StoreIdentity
            let inserts: [Row]
            let updates: [StoreChangeSet.Update]

            func add(to sets: inout Sets, _ layouts: [EntityLayout]) {
                func id(_ row: Row) -> NSManagedObjectID {
                    NSManagedObjectID(
                        layout: layouts[row.entityIndex],
                        storeIdentity: identity,
                        primaryKey: row.primaryKey
                    )
                }
                // Mostly there is one store.
                func add(_ ids: Set<NSManagedObjectID>, to set: inout Set<NSManagedObjectID>) {
                    if set.isEmpty { set = ids } else { set.formUnion(ids) }
                }
                add(Set(distinct: inserts.lazy.map(id)), to: &sets.inserted)
                add(Set(distinct: updates.lazy.map { id($0.row) }), to: &sets.updated)
            }
        }

        /// To hand on the IDs of fewer rows costs more than to make them.
        private static let fewest = 256
        private let work: WorkAhead<Sets>

        /// Begins; nil where the save has few rows.
        init?(_ parts: [SavePlan.Part], _ layouts: [EntityLayout]) {
            let written = parts.map {
                Written(
                    identity: $0.store.identity,
                    inserts: $0.changes.inserts,
                    updates: $0.changes.updates
                )
            }
            guard written.reduce(0, { $0 + $1.inserts.count + $1.updates.count }) >= Self.fewest
            else { return nil }
            work = WorkAhead {
                var sets: Sets = ([], [])
                for part in written { part.add(to: &sets, layouts) }
                return sets
            }
        }

        func sets() -> Sets { work.value() }
    }
}
