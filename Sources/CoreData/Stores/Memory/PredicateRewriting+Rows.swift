import Foundation

extension PredicateRewriting {
    /// Objects and their IDs among the constants become references of a store's rows, which is what
    /// rows are compared by. Those of other stores become something that no row is.
    static func rowConstants(in store: NSPersistentStore) -> PredicateRewriting {
        PredicateRewriting { expression, _ in
            guard case .constant(let value?) = expression.node else { return nil }
            return NSExpression(.constant(rowConstant(value, store)))
        }
    }

    private static func rowConstant(_ value: Any, _ store: NSPersistentStore) -> Any {
        func constants(_ values: some Sequence) -> [Any] { values.map { rowConstant($0, store) } }
        switch value {
        case let row as any RowIdentifiable:
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
