import Foundation

extension PredicateRewriting {
    /// Objects and their IDs among the constants become references of rows, which is what rows
    /// are compared by.
    static var rowConstants: PredicateRewriting {
        PredicateRewriting { expression, _ in
            guard case .constant(let value?) = expression.node else { return nil }
            return NSExpression(.constant(rowConstant(value)))
        }
    }

    private static func rowConstant(_ value: Any) -> Any {
        switch value {
        case let row as any RowIdentifiable: return row.rowReference.map { $0 as Any } ?? value
        case let array as [Any]: return array.map(rowConstant)
        case let set as Set<AnyHashable>: return set.map { rowConstant($0.base) }
        case let set as NSSet: return set.map { rowConstant($0) }
        case let array as NSArray: return array.map { rowConstant($0) }
        case let set as NSOrderedSet: return set.map { rowConstant($0) }
        default: return value
        }
    }
}
