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

    /// Compares two lists: objects that are not marked (``ResultsMarks``) have the same order among
    /// themselves in both; the marked ones may have another place or other values.
    init(from old: ResultsList, to new: ResultsList) {
        let keptSections = Self.keptSections(old, new)
        deletedSections = old.sections.indices.filter { keptSections.old[$0] == nil }
        insertedSections = new.sections.indices.filter { !keptSections.new.contains($0) }
        // What stood in a section that is gone has another place, marked or not.
        let losesSections = !deletedSections.isEmpty
        var candidates = Candidates(count: old.objects.count)
        for (index, object) in old.objects.enumerated()
        where ResultsMarks.hold(object)
            || (losesSections && keptSections.old[old.section(of: index)] == nil)
        {
            candidates.add(object, at: index)
        }
        var inserts: [ObjectChange] = []
        var moves: [ObjectChange] = []
        var updates: [ObjectChange] = []
        // Walks the new list beside the old one: `oldIndex` is where the next object that has not
        // changed stands in the old list.
        var oldIndex = 0
        var lastKept = -1
        for (newIndex, object) in new.objects.enumerated() {
            while oldIndex < old.objects.count, candidates.has[oldIndex] { oldIndex += 1 }
            let isMarked = ResultsMarks.hold(object)
            guard let before = isMarked || losesSections ? candidates.take(object) : nil else {
                if isMarked {
                    inserts.append(.insert(object, at: new.indexPath(newIndex)))
                } else {
                    lastKept = oldIndex
                    oldIndex += 1
                }
                continue
            }
            // It stands between the same unmarked objects as before, behind all that has stayed
            // there.
            let isInPlace =
                before > lastKept && before < oldIndex
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
        let deletes = candidates.left.sorted(by: >).map { index in
            ObjectChange.delete(old.objects[index], at: old.indexPath(index))
        }
        objectChanges = deletes + inserts + moves + updates
    }

    /// The places in the old list of the objects that may not be there any more.
    private struct Candidates {
        /// For each place whether a candidate stands there.
        private(set) var has: [Bool]
        private var places: [ObjectIdentifier: Int] = [:]

        init(count: Int) { has = Array(repeating: false, count: count) }

        /// The places of those that were not taken.
        var left: [Int] { Array(places.values) }

        mutating func add(_ object: NSManagedObject, at index: Int) {
            has[index] = true
            places[ObjectIdentifier(object)] = index
        }

        /// The place of an object, which it is asked for once.
        mutating func take(_ object: NSManagedObject) -> Int? {
            places.removeValue(forKey: ObjectIdentifier(object))
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
