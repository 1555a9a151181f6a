import Foundation

/// Tells aggregates over the rows of a request (`max:(age)`) from those of a relationship of each
/// row (`max:(people.age)`).
struct RowAggregation {
    let model: ModelLayout
    let layout: EntityLayout

    /// Whether an expression is a function over rows.
    func isAggregate(_ expression: NSExpression) -> Bool {
        guard case .function(let name, let arguments) = expression.node, arguments.count == 1,
            QueryFunction(rawValue: name)?.isAggregate == true,
            PredicateCompiler.constant(arguments[0]) == nil
        else { return false }
        return !isCollection(arguments[0])
    }

    /// Whether an expression or a part of it is a function over rows.
    func containsAggregate(_ expression: NSExpression) -> Bool {
        var isFound = false
        let walk = PredicateRewriting { part, _ in
            isFound = isFound || isAggregate(part)
            return isFound ? part : nil
        }
        _ = walk.expression(expression)
        return isFound
    }

    private func isCollection(_ expression: NSExpression) -> Bool {
        switch expression.node {
        case .subquery, .aggregate, .setOperation: return true
        case .keyPath(nil, let path): return leadsToMany(KeyPathSteps(path))
        default: return false
        }
    }

    private func leadsToMany(_ path: KeyPathSteps) -> Bool {
        var layout = layout
        for step in path.steps {
            guard case .key(let key) = step, let slot = layout.slot(named: key),
                slot.isRelationship
            else { return false }
            if slot.isToMany { return true }
            layout = model.entities[slot.destinationIndex]
        }
        return false
    }
}
