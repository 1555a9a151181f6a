import Foundation

/// A sort descriptor with a key; what `NSSortDescriptor(key:ascending:)` makes.
///
/// > Threading: Immutable; any thread.
final class KeySortDescriptor: NSSortDescriptor {
    let sortKey: String?
    let order: SortOrderName
    /// A block of the client's, which compares the values.
    let block: Comparator?
    /// Made on the first comparison.
    private let compiled = Locked<SortKeyComparator?>(nil)

    init(key: String?, ascending: Bool, order: SortOrderName, block: Comparator?) {
        sortKey = key
        self.order = order
        self.block = block
        // Foundation's initializers want a key path; this one is never asked for its value.
        super.init(keyPath: \KeySortDescriptor.sortKey, ascending: ascending) { _, _ in
            .orderedSame
        }
    }

    /// Archives name the class that has a name for clients.
    override var classForKeyedArchiver: AnyClass? { NSSortDescriptor.self }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        if let known = compiled.withLock({ $0 }) { return known.compare(object1, object2) }
        let comparator = SortKeyComparator([self])
        compiled.withLock { $0 = comparator }
        return comparator.compare(object1, object2)
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(
            key: sortKey,
            ascending: !ascending,
            order: order,
            block: block
        )
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        if self === other { return true }
        // Whether two blocks are the same can't be told, so descriptors that have some are not
        // equal.
        return sortKey == other.sortKey && ascending == other.ascending && order == other.order
            && block == nil && other.block == nil
    }
    override var hash: Int { (sortKey ?? "").hashValue }
    override var description: String {
        "(\(sortKey ?? "self"), \(ascending ? "ascending" : "descending"), \(order.rawValue))"
    }
}

/// How a sort descriptor compares strings.
enum SortOrderName: String, Sendable, CaseIterable {
    /// By Unicode scalars.
    case binary = "compare:"
    case caseInsensitive = "caseInsensitiveCompare:"
    case localized = "localizedCompare:"
    case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
    case localizedStandard = "localizedStandardCompare:"
}
