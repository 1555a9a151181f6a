/// Gives the objects of a list that have changed their places.
///
/// > Threading: Confined to the context's queue.
struct ResultsPlacement {
    let order: ObjectOrder
    /// The name of an object's section; nil for a list without sections.
    let sectionName: ((NSManagedObject) -> String)?

    /// A list in the making, with the names of the sections if it has any.
    private struct Content {
        var objects: [NSManagedObject] = []
        var names: [String] = []

        mutating func append(_ other: Content, _ range: Range<Int>) {
            objects += other.objects[range]
            if !other.names.isEmpty { names += other.names[range] }
        }
    }

    /// An old list with the matching objects at their places, and without the other marked ones.
    func list(_ old: ResultsList, matching: [NSManagedObject]) -> ResultsList {
        let (kept, moved) = partition(old, matching)
        var content = Content()
        content.objects.reserveCapacity(kept.objects.count + moved.count)
        var next = 0
        // In order, so that each search begins where the last one has ended.
        for object in moved.sorted(by: order.isAscending) {
            let place = place(of: object, in: kept.objects, from: next)
            content.append(kept, next..<place)
            append(object, to: &content)
            next = place
        }
        content.append(kept, next..<kept.objects.count)
        return ResultsList(
            content.objects,
            sectionNames: sectionName == nil ? nil : content.names
        )
    }

    private func place(
        of object: NSManagedObject,
        in objects: [NSManagedObject],
        from start: Int
    ) -> Int {
        // What is kept is in order, or this would find nothing: all that may have moved was marked,
        // and taken out unless it fits.
        var low = start, high = objects.count
        while low < high {
            let middle = (low + high) / 2
            if order.isAscending(objects[middle], object) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Cuts a list and what matches now into what stays where it is and what needs a place.
    ///
    /// A marked object stays if it fits between the one that stays before it and the next that is
    /// not marked: most changes leave an object where it is, and two comparisons are cheaper than
    /// a search.
    private func partition(
        _ old: ResultsList,
        _ matching: [NSManagedObject]
    ) -> (kept: Content, moved: [NSManagedObject]) {
        let objects = old.objects
        // Keys are unique, for each object is marked once: whoever makes the list relies on it.
        var unplaced = Dictionary(
            uniqueKeysWithValues: matching.map { (ObjectIdentifier($0), $0) }
        )
        var kept = Content()
        kept.objects.reserveCapacity(objects.count)
        var nextUnmarked = 0
        for (index, object) in objects.enumerated() {
            guard ResultsMarks.hold(object) else {
                kept.objects.append(object)
                if sectionName != nil { kept.names.append(old.sectionNames[index]) }
                continue
            }
            guard unplaced[ObjectIdentifier(object)] != nil else { continue }
            if let last = kept.objects.last, !order.isAscending(last, object) { continue }
            nextUnmarked = max(nextUnmarked, index + 1)
            while nextUnmarked < objects.count, ResultsMarks.hold(objects[nextUnmarked]) {
                nextUnmarked += 1
            }
            if nextUnmarked < objects.count, !order.isAscending(object, objects[nextUnmarked]) {
                continue
            }
            append(object, to: &kept)
            unplaced[ObjectIdentifier(object)] = nil
        }
        return (kept, Array(unplaced.values))
    }

    private func append(_ object: NSManagedObject, to content: inout Content) {
        content.objects.append(object)
        if let sectionName { content.names.append(sectionName(object)) }
    }
}
