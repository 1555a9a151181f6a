import Foundation

/// Replaces expressions inside predicates and expressions: the one walk along their trees.
struct PredicateRewriting {
    /// What stands in for an expression; nil keeps it and goes on to its parts. The rewriting is
    /// passed for those that look at a part first.
    let replacement: (NSExpression, PredicateRewriting) -> NSExpression?
    /// What stands in for a predicate whose parts can't be seen.
    var opaque: (NSPredicate) -> NSPredicate = { $0 }

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
        case .constant: return predicate
        case .opaque: return opaque(predicate)
        }
    }

    func expression(_ expression: NSExpression) -> NSExpression {
        // Before its parts, which the replacement may go through by itself: inside of a subquery a
        // variable means something else.
        if let replaced = replacement(expression, self) { return replaced }
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
