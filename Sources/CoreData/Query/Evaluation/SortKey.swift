import Foundation

/// A sort descriptor, ready to read values and to compare them. A class, for comparisons go over the
/// keys without a copy of each.
///
/// > Threading: Immutable; any thread, as far as the descriptor's block is.
final class SortKey {
    let steps: KeyPathSteps?
    let singleKey: QueryKey?
    let ascending: Bool
    let order: SortOrderName
    let block: Comparator?

    init(_ descriptor: NSSortDescriptor) {
        let own = descriptor as? KeySortDescriptor
        let steps = descriptor.key.map(KeyPathSteps.init)
        // A descriptor of Foundation's whose key path has no name can only compare itself.
        let foreign: Comparator? =
            own == nil && steps == nil
            ? { a, b in
                descriptor.compare(a, to: b)
            } : nil
        self.steps = steps
        singleKey = steps?.singleKey
        // Such a descriptor's own comparison has its direction in it, and would be turned
        // twice.
        ascending = foreign != nil || descriptor.ascending
        order = own?.order ?? .binary
        block = own?.block ?? foreign
    }

    func value(_ subject: QueryValue) -> QueryValue {
        if case .object(let source) = subject { return value(source) }
        return steps?.value(from: subject) ?? subject
    }

    @inline(__always) func value(_ source: any KeyValueSource) -> QueryValue {
        if let singleKey, let value = source.queryValue(for: singleKey) { return value }
        return steps?.value(from: .object(source)) ?? .object(source)
    }
}
