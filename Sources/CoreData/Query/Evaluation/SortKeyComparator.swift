import Foundation

/// Sort descriptors compiled into a comparison, the same as `ORDER BY`: nil before all values when
/// ascending; what doesn't compare is the same.
///
/// > Threading: Immutable; any thread, as far as the descriptors' blocks are.
struct SortKeyComparator: @unchecked Sendable {
    // @unchecked: descriptors don't change.
    private let keys: [SortKey]

    init(_ descriptors: [NSSortDescriptor]) { keys = descriptors.map(SortKey.init) }

    /// How two sources stand to each other.
    func compare(_ left: any KeyValueSource, _ right: any KeyValueSource) -> ComparisonResult {
        compare { ($1.value(left), $1.value(right)) }
    }

    /// The same, where both may be compared again.
    func compare<Source>(
        _ left: SortSubject<Source>,
        _ right: SortSubject<Source>
    ) -> ComparisonResult {
        compare { (left.value($0, $1), right.value($0, $1)) }
    }

    /// The same, where the right one may be compared again.
    func compare<Source>(
        _ left: any KeyValueSource,
        _ right: SortSubject<Source>
    ) -> ComparisonResult {
        compare { ($1.value(left), right.value($0, $1)) }
    }

    /// How two values of any type stand to each other.
    func compare(_ left: Any, _ right: Any) -> ComparisonResult {
        compare(QueryValue(unwrapped(left)), QueryValue(unwrapped(right)))
    }

    func compare(_ left: QueryValue, _ right: QueryValue) -> ComparisonResult {
        compare { ($1.value(left), $1.value(right)) }
    }

    /// - Parameter values: Gives the two values of the key with a number; called in order, as far as
    ///   the values before are the same.
    @inline(__always) private func compare(
        _ values: (Int, SortKey) -> (left: QueryValue, right: QueryValue)
    ) -> ComparisonResult {
        for number in keys.indices {
            let key = keys[number]
            let (left, right) = values(number, key)
            let order = order(left, right, key)
            if order != 0 {
                return (order < 0) == key.ascending ? .orderedAscending : .orderedDescending
            }
        }
        return .orderedSame
    }

    private func order(_ left: QueryValue, _ right: QueryValue, _ key: SortKey) -> Int {
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
