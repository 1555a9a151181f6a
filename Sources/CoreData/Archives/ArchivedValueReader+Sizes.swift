import Foundation

// What keeps crafted archives from growing, and from being compared, without end.
extension ArchivedValueReader {
    /// The objects of values that become the elements of a set or the keys of a dictionary.
    ///
    /// Those with the same hash are compared with each other, and hashes that agree are easy to
    /// make: an array's is its count, and that of data takes in its first bytes only.
    ///
    /// - Parameter areHashable: Whether Swift must be able to hash the elements.
    func hashedElements(
        _ values: [ArchivedValue],
        allowing classes: [AnyClass],
        areHashable: Bool = true
    ) throws(ArchiveError) -> [Any] {
        var elements: [Any] = []
        var efforts: [Int] = []
        for value in values {
            let before = effort
            let element = try element(value, allowing: classes)
            if areHashable, let name = FoundationArchive.nameOfUnhashable(element) {
                throw ArchiveError(reason: "it holds \(name) in a set or as a key")
            }
            elements.append(element)
            efforts.append(effort - before)
        }
        // Before a hash is asked for: that of Foundation's own decimal numbers does not end on
        // Linux.
        let hashable = HashableDecimalNumber.hashable(elements)
        var groups: [Int: (count: Int, effort: Int)] = [:]
        for (element, effort) in zip(hashable, efforts) {
            let hash = (element as? NSObject)?.hash ?? 0
            let group = groups[hash] ?? (0, 0)
            groups[hash] = (group.count + 1, group.effort + effort)
        }
        for group in groups.values where group.count > 1 {
            // Each pair of a group may be compared. That is half the square of the count, times the
            // mean effort of an element, which is the group's effort divided by its count.
            try add(Size(weight: 0, effort: group.count * group.effort / 2))
        }
        return hashable
    }

    /// The size of an object without its parts.
    static func size(of value: Any) -> Size {
        let byteCount =
            switch value {
            case let text as NSString: text.length
            case let data as NSData: data.length
            case let path as NSIndexPath: path.length * MemoryLayout<Int>.size
            case let indexes as NSIndexSet:
                (indexes as IndexSet).rangeView.count * MemoryLayout<NSRange>.size
            default: 0
            }
        return Size(weight: 1, effort: 1 + byteCount / 64)
    }
}
