import Foundation

extension PredicateRewriting {
    /// A predicate for the rows of a store: objects and their IDs among the constants become
    /// references of its rows, which is what rows are compared by, and those of other stores
    /// something that no row is; what `FETCH` expressions find stands in their place.
    ///
    /// - Throws: What a request of a `FETCH` expression throws.
    static func forRows(
        _ predicate: NSPredicate,
        in store: NSPersistentStore
    ) throws -> NSPredicate {
        var failure: (any Error)?
        let rewriting = PredicateRewriting { expression, _ in
            switch expression.node {
            case .constant(let value?):
                return NSExpression(.constant(rowConstant(value, store)))
            case .fetch(let request, let context, let countsOnly):
                do {
                    let found = try FetchedValue.value(
                        of: request,
                        in: context,
                        countsOnly: countsOnly
                    )
                    return found?.anyValue.map {
                        NSExpression(.constant(rowConstant($0, store)))
                    }
                } catch {
                    // A rewriting can't throw: the first error is kept, and thrown when the whole
                    // predicate has been visited.
                    failure = failure ?? error
                    return nil
                }
            default: return nil
            }
        }
        let result = rewriting.predicate(predicate)
        if let failure { throw failure }
        return result
    }

    private static func rowConstant(_ value: Any, _ store: NSPersistentStore) -> Any {
        func constants(_ values: some Sequence) -> [Any] { values.map { rowConstant($0, store) } }
        switch value {
        case let row as any StoredRowIdentifiable:
            return row.rowReference(in: store).map { $0 as Any } ?? ForeignRow()
        case let array as [Any]: return constants(array)
        case let set as Set<AnyHashable>: return constants(set.lazy.map(\.base))
        case let set as NSSet: return constants(set)
        case let array as NSArray: return constants(array)
        case let set as NSOrderedSet: return constants(set)
        default: return value
        }
    }
}

/// An object that has no row in the store that is asked: equal to none.
private final class ForeignRow {}
