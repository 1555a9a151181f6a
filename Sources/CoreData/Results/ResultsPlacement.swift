/// Gives the objects of a list that have changed their places.
///
/// > Threading: Confined to the context's queue.
struct ResultsPlacement {
    let order: ObjectOrder
    /// The name of an object's section; the same one for all in a list without sections.
    let sectionName: (NSManagedObject) -> String

    /// What brings the matching objects to their places, and takes away what is listed of the
    /// other changed ones.
    ///
    /// - Parameters:
    ///   - listed: Those of the changed objects that are in the old list, with their indexes;
    ///     ascending.
    ///   - matching: Those of the changed objects that belong into the new list, each once.
    func edit(
        _ old: ResultsObjects,
        listed: [ResultsEdit.Placed],
        matching: [NSManagedObject]
    ) -> ResultsEdit {
        var (edit, moved) = partition(old, listed, matching)
        let kept = KeptObjects(old, without: edit.removed)
        var next = 0
        // In order, so that each search begins where the last one has ended.
        for subject in order.sortedSubjects(moved) {
            next = place(of: subject, in: kept, from: next)
            edit.inserted.append((kept.index(next), subject.source, sectionName(subject.source)))
        }
        return edit
    }

    private func place(
        of object: ObjectOrder.Subject,
        in kept: KeptObjects,
        from start: Int
    ) -> Int {
        // What is kept is in order, or this would find nothing: all that may have moved is known,
        // and taken out unless it fits.
        var low = start, high = kept.count
        while low < high {
            let middle = (low + high) / 2
            if order.isAscending(kept.object(middle), object) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Cuts what has changed into what stays where it is, what goes, and what needs a place.
    ///
    /// A changed object stays if it fits between the one that stays before it and the next that has
    /// not changed: most changes leave an object where it is, and two comparisons are cheaper than
    /// a search.
    private func partition(
        _ old: ResultsObjects,
        _ listed: [ResultsEdit.Placed],
        _ matching: [NSManagedObject]
    ) -> (edit: ResultsEdit, moved: [NSManagedObject]) {
        // Keys are unique, for each object matches once: whoever makes the list relies on it.
        var unplaced = Dictionary(
            uniqueKeysWithValues: matching.map { (ObjectIdentifier($0), $0) }
        )
        var edit = ResultsEdit()
        // Where the changed objects end that stand together with the one that is looked at.
        var runEnd = 0
        var last: NSManagedObject?
        for (number, (index, object)) in listed.enumerated() {
            if number == 0 || listed[number - 1].index < index - 1 {
                // The one before it has not changed.
                last = index > 0 ? old[index - 1] : nil
                runEnd = index
                var next = number
                while next < listed.count, listed[next].index == runEnd {
                    runEnd += 1
                    next += 1
                }
            }
            guard unplaced[ObjectIdentifier(object)] != nil,
                last.map({ order.isAscending($0, object) }) ?? true,
                runEnd == old.count || order.isAscending(object, old[runEnd])
            else {
                edit.removed.append(index)
                continue
            }
            edit.stayed.append((index, object, sectionName(object)))
            unplaced[ObjectIdentifier(object)] = nil
            last = object
        }
        return (edit, Array(unplaced.values))
    }
}

/// What is left of a list without some of its objects.
private struct KeptObjects {
    private let objects: ResultsObjects
    private let removed: [Int]

    /// - Parameter removed: Indexes, ascending.
    init(_ objects: ResultsObjects, without removed: [Int]) {
        self.objects = objects
        self.removed = removed
    }

    var count: Int { objects.count - removed.count }

    func object(_ place: Int) -> NSManagedObject { objects[index(place)] }

    /// The index in the whole list of what has a place in what is left.
    func index(_ place: Int) -> Int {
        // Before the removed one with a number stand as many of those that are left as its index
        // less its number: that many or fewer, and it stands before the place.
        var low = 0, high = removed.count
        while low < high {
            let middle = (low + high) / 2
            if removed[middle] - middle <= place { low = middle + 1 } else { high = middle }
        }
        return place + low
    }
}
