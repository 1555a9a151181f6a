/// What turns one state of a results list into the next.
struct ResultsEdit {
    /// An object with its place.
    typealias Placed = (index: Int, object: NSManagedObject)
    /// An object that comes before the one with an index of the old list, or at its end.
    typealias Insertion = (before: Int, object: NSManagedObject, sectionName: String)

    /// The indexes in the old list of what leaves its place; ascending.
    var removed: [Int] = []
    /// What comes, or comes to another place; in order.
    var inserted: [Insertion] = []
    /// What stays where it is, but may be of a section with another name: indexes in the old list,
    /// ascending.
    var stayed: [(index: Int, object: NSManagedObject, sectionName: String)] = []

    /// What came, moved or stayed, with its indexes in the new list; ascending.
    var placed: [ResultsEdit.Placed] {
        var result: [Placed] = []
        result.reserveCapacity(inserted.count + stayed.count)
        var removedCount = 0, insertedCount = 0
        func countRemoved(before index: Int) {
            while removedCount < removed.count, removed[removedCount] < index { removedCount += 1 }
        }
        func insert(upTo index: Int) {
            while insertedCount < inserted.count, inserted[insertedCount].before <= index {
                let (before, object, _) = inserted[insertedCount]
                countRemoved(before: before)
                result.append((before - removedCount + insertedCount, object))
                insertedCount += 1
            }
        }
        for (index, object, _) in stayed {
            insert(upTo: index)
            countRemoved(before: index)
            result.append((index - removedCount + insertedCount, object))
        }
        insert(upTo: .max)
        return result
    }
}
