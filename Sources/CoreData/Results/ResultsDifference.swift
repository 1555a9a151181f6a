import Foundation

/// What leads from one state of a results list to the next.
///
/// Applying the deletions of sections and objects at their old places, then the insertions at
/// their new ones, and a move as a deletion and an insertion, turns the old list into the new one.
struct ResultsDifference {
    enum ObjectChange {
        case delete(NSManagedObject, at: IndexPath)
        case insert(NSManagedObject, at: IndexPath)
        case move(NSManagedObject, from: IndexPath, to: IndexPath)
        case update(NSManagedObject, at: IndexPath, newIndexPath: IndexPath)
    }
    /// The objects that have changed and stayed, or moved.
    var updatedObjects: [NSManagedObject] {
        objectChanges.compactMap {
            switch $0 {
            case .update(let object, _, _), .move(let object, _, _): object
            case .delete, .insert: nil
            }
        }
    }

    /// The changes of objects in a list without sections.
    var collectionDifference: CollectionDifference<NSManagedObjectID>? {
        typealias Step = CollectionDifference<NSManagedObjectID>.Change
        return CollectionDifference(
            objectChanges.flatMap { change -> [Step] in
                switch change {
                case .delete(let object, let place):
                    return [
                        .remove(offset: place.row, element: object.objectID, associatedWith: nil)
                    ]
                case .insert(let object, let place):
                    return [
                        .insert(offset: place.row, element: object.objectID, associatedWith: nil)
                    ]
                // A difference knows removals and insertions only: one that stays is both, tied
                // together by their places.
                case .move(let object, let from, let to), .update(let object, let from, let to):
                    let id = object.objectID
                    return [
                        .remove(offset: from.row, element: id, associatedWith: to.row),
                        .insert(offset: to.row, element: id, associatedWith: from.row),
                    ]
                }
            }
        )
    }

    private(set) var deletedSections: [Int] = []
    private(set) var insertedSections: [Int] = []
    private(set) var objectChanges: [ObjectChange] = []

    var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && objectChanges.isEmpty
    }

    /// Compares two lists: objects that have not changed have the same order among themselves in
    /// both; the changed ones may have another place or other values.
    ///
    /// - Parameters:
    ///   - listed: What has changed of the old list; ascending.
    ///   - placed: What has changed of the new list; ascending.
    init(
        from old: ResultsList,
        to new: ResultsList,
        listed: [ResultsEdit.Placed],
        placed: [ResultsEdit.Placed]
    ) {
        let keptSections = Self.keptSections(old, new)
        deletedSections = old.sections.indices.filter { keptSections.old[$0] == nil }
        insertedSections = new.sections.indices.filter { !keptSections.new.contains($0) }
        var listed = listed, placed = placed
        addLost(old, new, &listed, &placed)
        var places = Dictionary(
            listed.map { (ObjectIdentifier($0.object), $0.index) },
            uniquingKeysWith: { first, _ in first }
        )
        var inserts: [ObjectChange] = []
        var moves: [ObjectChange] = []
        var updates: [ObjectChange] = []
        // Where the unchanged objects beside an object of the new list stand in the old one.
        var following = UnchangedPlaces(listed), preceding = UnchangedPlaces(listed)
        var lastKept = -1
        for (number, (newIndex, object)) in placed.enumerated() {
            guard let before = places.removeValue(forKey: ObjectIdentifier(object)) else {
                inserts.append(.insert(object, at: new.indexPath(newIndex)))
                continue
            }
            let unchangedCount = newIndex - number
            if unchangedCount > 0 {
                lastKept = max(lastKept, preceding.index(unchangedCount - 1))
            }
            // It stands between the same unchanged objects as before, behind all that has stayed
            // there.
            let isInPlace =
                before > lastKept && before < following.index(unchangedCount)
                && keptSections.old[old.section(of: before)] == new.section(of: newIndex)
            if isInPlace {
                lastKept = before
                updates.append(
                    .update(
                        object,
                        at: old.indexPath(before),
                        newIndexPath: new.indexPath(newIndex)
                    )
                )
            } else {
                moves.append(
                    .move(object, from: old.indexPath(before), to: new.indexPath(newIndex))
                )
            }
        }
        // From the end, so that a delegate can apply them one by one.
        let deletes = places.values.sorted(by: >).map { index in
            ObjectChange.delete(old.objects[index], at: old.indexPath(index))
        }
        objectChanges = deletes + inserts + moves + updates
    }

    /// What stood in a section that is gone has another place, changed or not.
    private func addLost(
        _ old: ResultsList,
        _ new: ResultsList,
        _ listed: inout [ResultsEdit.Placed],
        _ placed: inout [ResultsEdit.Placed]
    ) {
        var unchanged: [ObjectIdentifier: ResultsEdit.Placed] = [:]
        let changed = Set(listed.map(\.index))
        for section in deletedSections.map({ old.sections[$0] }) {
            for index in section.start..<section.start + section.count
            where !changed.contains(index) {
                let object = old.objects[index]
                unchanged[ObjectIdentifier(object)] = (index, object)
            }
        }
        // Most sections go with all their objects.
        guard !unchanged.isEmpty else { return }
        listed = (listed + unchanged.values).sorted { $0.index < $1.index }
        for (index, object) in new.objects.enumerated()
        where unchanged[ObjectIdentifier(object)] != nil {
            placed.append((index, object))
        }
        placed.sort { $0.index < $1.index }
    }

    /// The places in the old list of the objects that have not changed.
    private struct UnchangedPlaces {
        private let changed: [ResultsEdit.Placed]
        private var changedCount = 0

        init(_ changed: [ResultsEdit.Placed]) { self.changed = changed }

        /// The index of the unchanged object with a number, which is not less than the one that was
        /// asked for before.
        mutating func index(_ number: Int) -> Int {
            while changedCount < changed.count,
                changed[changedCount].index <= number + changedCount
            {
                changedCount += 1
            }
            return number + changedCount
        }
    }

    /// The sections that both lists have in the same order: for each old one its new number.
    private static func keptSections(
        _ old: ResultsList,
        _ new: ResultsList
    ) -> (old: [Int: Int], new: Set<Int>) {
        let newIndexes = Dictionary(
            new.sections.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let pairs = old.sections.enumerated().compactMap { index, section in
            newIndexes[section.name].map { (old: index, new: $0) }
        }
        // Delegates know no moves of sections: one that leaves the common order goes, and comes
        // again.
        let kept = longestAscending(pairs.map(\.new)).map { pairs[$0] }
        return (
            Dictionary(kept.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first }),
            Set(kept.map(\.new))
        )
    }

    /// The places of a longest ascending subsequence (patience sorting).
    private static func longestAscending(_ values: [Int]) -> [Int] {
        var piles: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for index in values.indices {
            var low = 0, high = piles.count
            while low < high {
                let middle = (low + high) / 2
                if values[piles[middle]] < values[index] { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = piles[low - 1] }
            if low == piles.count { piles.append(index) } else { piles[low] = index }
        }
        // Followed back from the last pile: the piles hold the ends of different subsequences,
        // which together are none.
        var result: [Int] = []
        var index = piles.last ?? -1
        while index >= 0 {
            result.append(index)
            index = previous[index]
        }
        return result.reversed()
    }
}
