import Foundation

/// Replaces expressions inside predicates and expressions.
struct PredicateRewriting {
    /// What stands in for an expression; nil keeps it and goes on to its parts.
    let replacement: (NSExpression) -> NSExpression?

    /// Objects and their IDs among the constants become references of rows, which is what rows
    /// are compared by.
    static var rowConstants: PredicateRewriting {
        PredicateRewriting { expression in
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

    func predicate(_ predicate: NSPredicate) -> NSPredicate {
        switch PredicateShape(predicate) {
        case .comparison(let comparison):
            return NSComparisonPredicate(
                leftExpression: expression(comparison.leftExpression),
                rightExpression: expression(comparison.rightExpression),
                modifier: comparison.comparisonPredicateModifier,
                type: comparison.predicateOperatorType,
                options: comparison.options
            )
        case .and(let parts):
            return CompoundPredicate(type: .and, subpredicates: parts.map(self.predicate))
        case .or(let parts):
            return CompoundPredicate(type: .or, subpredicates: parts.map(self.predicate))
        case .not(let part):
            return CompoundPredicate(type: .not, subpredicates: [self.predicate(part)])
        case .constant, .opaque: return predicate
        }
    }

    func expression(_ expression: NSExpression) -> NSExpression {
        if let replaced = replacement(expression) { return replaced }
        switch expression.node {
        case .constant, .evaluatedObject, .index, .anyKey, .variable: return expression
        case .keyPath(let operand, let path):
            guard let operand else { return expression }
            return NSExpression(.keyPath(operand: self.expression(operand), path: path))
        case .function(let name, let arguments):
            return NSExpression(
                .function(name: name, arguments: arguments.map(self.expression))
            )
        case .aggregate(let parts): return NSExpression(.aggregate(parts.map(self.expression)))
        case .setOperation(let operation, let left, let right):
            return NSExpression(
                .setOperation(operation, self.expression(left), self.expression(right))
            )
        case .subquery(let collection, let name, let predicate):
            return NSExpression(
                .subquery(
                    collection: self.expression(collection),
                    variable: name,
                    predicate: self.predicate(predicate)
                )
            )
        case .conditional(let predicate, let first, let second):
            return NSExpression(
                .conditional(
                    self.predicate(predicate),
                    self.expression(first),
                    self.expression(second)
                )
            )
        case .fetch(let request, let context, let countsOnly):
            return NSFetchRequestExpression(
                .fetch(
                    request: self.expression(request),
                    context: self.expression(context),
                    countsOnly: countsOnly
                )
            )
        case .block(let block, let arguments):
            return NSExpression(.block(block, arguments.map(self.expression)))
        }
    }
}
