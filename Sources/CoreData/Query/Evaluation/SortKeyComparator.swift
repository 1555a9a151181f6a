import Foundation

/// Sort descriptors compiled into a comparison, the same as `ORDER BY`: nil before all values when
/// ascending; what doesn't compare is the same.
///
/// > Threading: Immutable; any thread, as far as the descriptors' blocks are.
struct SortKeyComparator: @unchecked Sendable {
    // @unchecked: descriptors don't change.
    private struct Key {
        let steps: KeyPathSteps?
        let singleKey: String?
        let ascending: Bool
        let order: SortOrderName
        let block: Comparator?
    }
    private let keys: [Key]

    init(_ descriptors: [NSSortDescriptor]) {
        keys = descriptors.map { descriptor in
            let own = descriptor as? KeySortDescriptor
            let steps = descriptor.key.map(KeyPathSteps.init)
            // A descriptor of Foundation's whose key path has no name can only compare itself.
            let foreign: Comparator? =
                own == nil && steps == nil
                ? { a, b in
                    descriptor.compare(a, to: b)
                } : nil
            return Key(
                steps: steps,
                singleKey: steps?.singleKey,
                // Such a descriptor's own comparison has its direction in it, and would be turned
                // twice.
                ascending: foreign != nil || descriptor.ascending,
                order: own?.order ?? .binary,
                block: own?.block ?? foreign
            )
        }
    }

    /// How two sources stand to each other.
    func compare(_ left: any KeyValueSource, _ right: any KeyValueSource) -> ComparisonResult {
        compare(QueryValue.object(left), QueryValue.object(right))
    }

    /// How two values of any type stand to each other.
    func compare(_ left: Any, _ right: Any) -> ComparisonResult {
        compare(QueryValue(unwrapped(left)), QueryValue(unwrapped(right)))
    }

    /// Whether the left source comes first.
    func areInIncreasingOrder(_ left: any KeyValueSource, _ right: any KeyValueSource) -> Bool {
        compare(left, right) == .orderedAscending
    }

    func compare(_ left: QueryValue, _ right: QueryValue) -> ComparisonResult {
        for key in keys {
            let order = order(Self.value(key, left), Self.value(key, right), key)
            if order != 0 {
                return (order < 0) == key.ascending ? .orderedAscending : .orderedDescending
            }
        }
        return .orderedSame
    }

    private static func value(_ key: Key, _ subject: QueryValue) -> QueryValue {
        if let single = key.singleKey, case .object(let source) = subject,
            let value = source.queryValue(forKey: single)
        {
            return value
        }
        return key.steps?.value(from: subject) ?? subject
    }

    private func order(_ left: QueryValue, _ right: QueryValue, _ key: Key) -> Int {
        switch (left.isNull, right.isNull) {
        case (true, true): return 0
        case (true, false): return -1
        case (false, true): return 1
        case (false, false): break
        }
        // nil is placed already: a client's comparator is for values only.
        if let block = key.block, let left = left.anyValue, let right = right.anyValue {
            return block(left, right).rawValue
        }
        if case .text(let left) = left, case .text(let right) = right {
            return TextOrder.order(left, right, by: key.order)
        }
        if let order = QueryComparison.order(left, right, []) { return order }
        guard let left = Self.primaryKey(left), let right = Self.primaryKey(right) else { return 0 }
        return left < right ? -1 : left == right ? 0 : 1
    }

    /// Objects and their IDs are ordered by primary key, as SQL has it.
    private static func primaryKey(_ value: QueryValue) -> Int64? {
        switch value {
        case .object(let source): (source as? any RowIdentifiable)?.rowReference?.primaryKey
        case .other(let value): (value as? any RowIdentifiable)?.rowReference?.primaryKey
        default: nil
        }
    }
}
