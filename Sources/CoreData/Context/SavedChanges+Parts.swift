/// Parts of a save: the slices that a large one is merged in, what a main context has not pushed up
/// itself, what a client has left of a notification.
extension SavedChanges {
    /// The rows of some of the objects that were saved, and the owners that these rows have left and
    /// come to.
    ///
    /// > Threading: Any thread. The first call looks at all rows of the save, later ones only at what
    ///   is named.
    ///
    /// - Parameter merger: Who merges the part, which then lacks what this one has merged already;
    ///   nil if nobody keeps that in mind.
    /// - Returns: The part, and those IDs that the save did not write: what somebody has added, and
    ///   objects whose keys were temporary and have become permanent since.
    func part(
        of named: ChangeSet<NSManagedObjectID>,
        for merger: Merger?
    ) -> (part: SavedChanges, rest: ChangeSet<NSManagedObjectID>) {
        let places = foundPlaces
        let identities = stores.map(\.store.identity)
        var found = stores.map { _ in [Int]() }
        func remove(_ ids: [NSManagedObjectID]) -> [NSManagedObjectID] {
            ids.filter { id in
                // Rows that no store has yet say nothing of one.
                for index in stores.indices
                where id.storeIdentity == nil || id.storeIdentity === identities[index] {
                    guard let place = places[index][id] else { continue }
                    found[index].append(place)
                    return false
                }
                return true
            }
        }
        let rest = ChangeSet(
            inserted: remove(named.inserted),
            updated: remove(named.updated),
            deleted: remove(named.deleted)
        )
        let parts =
            merger.map { takeUnmerged(found, by: $0) }
            ?? zip(stores, found).map { $0.part($1) }.filter { !$0.isEmpty }
        let part = SavedChanges(
            parts,
            namedCount: found.map(\.count).reduce(0, +),
            commitNumber: commitNumber,
            origin: self
        )
        return (part, rest)
    }

    /// Where the rows stand, in each store.
    var foundPlaces: [Places] {
        // Made under the lock: of several slices that are looked for at once, one pays for
        // the look at all rows.
        places.withLock { places in
            let known = places ?? stores.map(Places.init)
            places = known
            return known
        }
    }

    /// Where the rows of one store stand in its changes, by their keys.
    ///
    /// Places are counted through what was inserted, updated, touched and deleted.
    ///
    /// > Threading: Immutable; any thread.
    final class Places {
        private final class OfEntity {
            /// Places, counted from 1.
            var words = PagedKeyMap()
        }
        /// nil for entities of which nothing was saved.
        private var entities: [OfEntity?] = []

        init(_ changes: InStore) {
            // Owners that rows have left and come to may have been written, too. Their IDs stand for
            // that, so their rows are noted later.
            var place = changes.inserted.count + changes.updated.count
            for reference in changes.touched { note(reference, &place) }
            for reference in changes.deleted { note(reference, &place) }
            place = 0
            for row in changes.inserted { note(row.reference, &place) }
            for row in changes.updated { note(row.reference, &place) }
        }

        private func note(_ reference: RowReference, _ place: inout Int) {
            let entity = reference.entityIndex
            while entities.count <= entity { entities.append(nil) }
            let places = entities[entity] ?? OfEntity()
            entities[entity] = places
            place += 1
            places.words.set(reference.primaryKey, UInt(place))
        }

        subscript(id: NSManagedObjectID) -> Int? {
            self[RowReference(entityIndex: id.layout.index, primaryKey: id.primaryKey)]
        }

        subscript(reference: RowReference) -> Int? {
            let entity = reference.entityIndex
            guard entity < entities.count,
                let word = entities[entity]?.words[reference.primaryKey],
                word > 0
            else { return nil }
            return Int(word) - 1
        }
    }
}

extension SavedChanges.InStore {
    /// The part at some places; see `SavedChanges.Places`.
    func part(_ places: [Int]) -> Self {
        var part = Self(store: store)
        var known = Set<RowReference>()
        func touch(_ reference: RowReference) {
            if known.insert(reference).inserted { part.touched.append(reference) }
        }
        var last = -1
        // In the order of the save. A row may be named twice, as updated and as refreshed say.
        for place in places.sorted() where place > last {
            last = place
            var index = place
            if index < inserted.count {
                part.inserted.append(inserted[index])
                continue
            }
            index -= inserted.count
            if index < updated.count {
                part.update(updated[index])
                // `touched` names each owner once for the whole save: a part needs
                // those of its own rows.
                for move in moves(of: index) { touch(move.owner) }
                continue
            }
            index -= updated.count
            if index < touched.count {
                touch(touched[index])
            } else {
                part.deleted.append(deleted[index - touched.count])
            }
        }
        return part
    }

    /// The moves of one of the updated rows.
    private func moves(of index: Int) -> ArraySlice<SavedChanges.Move> {
        var start = 0, end = moves.count
        while start < end {
            let middle = (start + end) / 2
            if moves[middle].index < index { start = middle + 1 } else { end = middle }
        }
        return moves[start...].prefix { $0.index == index }
    }
}
