/// What of a save contexts have merged. A handler that was left beside a merger brings a context
/// the same save again, and so does merging by itself: the context's observers hear of it once.
extension SavedChanges {
    /// Stands for a context where saves are kept that it has merged.
    final class Merger: Sendable {}

    /// What one context has merged.
    struct Merged {
        // Held, so that no other context can have the same one as long as this is kept.
        let merger: Merger
        /// One for each of the save's stores.
        var stores: [MergedInStore]
    }

    /// What one context has merged of one store's changes.
    struct MergedInStore {
        /// A bit for each of the `Places` that is merged; nil if all of them are.
        private var words: [UInt64]?
        /// Owners that came with rows: no place of their own says that they are merged.
        private var touched: Set<RowReference> = []
        /// What the context had no objects of when it was merged. Most merges are the only ones,
        /// so that nobody looks for the places of these before another one comes.
        private(set) var unknown: [RowReference] = []

        init(of changes: InStore, isWhole: Bool) {
            words = isWhole ? nil : Array(repeating: 0, count: (changes.placeCount + 63) / 64)
        }

        func contains(_ place: Int) -> Bool {
            guard let words else { return true }
            return words[place / 64] & (1 << UInt64(place % 64)) != 0
        }

        func contains(_ owner: RowReference) -> Bool { words == nil || touched.contains(owner) }

        mutating func insert(_ places: [Int], _ owners: [RowReference]) {
            guard words != nil else { return }
            for place in places { words?[place / 64] |= 1 << UInt64(place % 64) }
            touched.formUnion(owners)
        }

        /// Adds what the context had no objects of.
        mutating func addUnknown(_ more: [RowReference]) {
            // Mostly this is the first part: the list itself serves.
            if unknown.isEmpty { unknown = more } else { unknown += more }
        }

        /// Counts what was unknown as not merged: the context may have objects of it by now, as a
        /// merger reads what a results controller lists after the update, and has told nobody
        /// about them.
        mutating func forgetUnknown(_ changes: InStore, _ places: Places) {
            guard !unknown.isEmpty else { return }
            var words = self.words ?? Array(repeating: .max, count: (changes.placeCount + 63) / 64)
            for reference in unknown {
                if let place = places[reference] {
                    words[place / 64] &= ~(1 << UInt64(place % 64))
                }
                touched.remove(reference)
            }
            self.words = words
            unknown = []
        }
    }

    /// What a context has not merged yet, of all of the save. It counts as merged from now on.
    ///
    /// > Threading: Any thread.
    func takeUnmerged(by merger: Merger) -> SavedChanges? {
        let whole = stores.map { MergedInStore(of: $0, isWhole: true) }
        let known = merged.withLock { merged in
            guard let index = merged.firstIndex(where: { $0.merger === merger }) else {
                merged.append(Merged(merger: merger, stores: whole))
                return nil as [MergedInStore]?
            }
            // Under the lock in which it was asked, so that of two handlers that bring the same
            // save at once only one gets the rest.
            defer { merged[index].stores = whole }
            return merged[index].stores
        }
        guard var known else { return self }
        if known.contains(where: { !$0.unknown.isEmpty }) {
            let places = foundPlaces
            for index in stores.indices { known[index].forgetUnknown(stores[index], places[index]) }
        }
        let rest = zip(stores, known).map { $0.rest(without: $1) }.filter { !$0.isEmpty }
        guard !rest.isEmpty else { return nil }
        return SavedChanges(
            rest,
            namedCount: namedCount,
            commitNumber: commitNumber,
            origin: self
        )
    }

    /// What a context has not merged yet, of some places of each store. It counts as merged from
    /// now on.
    ///
    /// > Threading: Any thread.
    func takeUnmerged(_ named: [[Int]], by merger: Merger) -> [InStore] {
        let places = foundPlaces
        return merged.withLock { merged in
            let index: Int
            if let known = merged.firstIndex(where: { $0.merger === merger }) {
                index = known
            } else {
                index = merged.count
                let none = stores.map { MergedInStore(of: $0, isWhole: false) }
                merged.append(Merged(merger: merger, stores: none))
            }
            return stores.indices.compactMap { store in
                // The slices of a save name each place once: only what comes again is looked up.
                if named[store].contains(where: merged[index].stores[store].contains) {
                    merged[index].stores[store].forgetUnknown(stores[store], places[store])
                }
                let known = merged[index].stores[store]
                let part = stores[store].part(named[store].filter { !known.contains($0) })
                merged[index].stores[store].insert(named[store], part.touched)
                return part.isEmpty ? nil : part
            }
        }
    }

    /// Keeps in mind what a context had no objects of when it merged a store's changes.
    ///
    /// > Threading: Any thread.
    func note(_ unknown: [RowReference], in store: any RowStore, unknownTo merger: Merger) {
        let save = origin ?? self
        guard !unknown.isEmpty, let place = save.stores.firstIndex(where: { $0.store === store })
        else { return }
        save.merged.withLock { merged in
            guard let index = merged.firstIndex(where: { $0.merger === merger }) else { return }
            merged[index].stores[place].addUnknown(unknown)
        }
    }
}

extension SavedChanges.InStore {
    var isEmpty: Bool { placeCount == 0 }

    fileprivate var placeCount: Int {
        inserted.count + updated.count + touched.count + deleted.count
    }

    /// All but what is merged.
    fileprivate func rest(without merged: SavedChanges.MergedInStore) -> Self {
        let firstOwner = inserted.count + updated.count
        return part(
            (0..<placeCount).filter { place in
                guard !merged.contains(place) else { return false }
                let index = place - firstOwner
                return !touched.indices.contains(index) || !merged.contains(touched[index])
            }
        )
    }
}
