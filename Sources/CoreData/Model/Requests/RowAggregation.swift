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
            // Of constants a function is a constant itself.
            PredicateCompiler.constant(arguments[0]) == nil
        else { return false }
        return !isCollection(arguments[0])
    }

    /// Whether an expression or a part of it is a function over rows.
    func containsAggregate(_ expression: NSExpression) -> Bool {
        var isFound = false
        let walk = PredicateRewriting { part, _ in
            // Once one is found, each part stands in for itself, which ends the walk there.
            isFound = isFound || isAggregate(part)
            return isFound ? part : nil
        }
        _ = walk.expression(expression)
        return isFound
    }

    /// An expression over a group, in place of one over each of its rows: `books.@count` is the
    /// sum of the rows' counts. Other expressions stay as they are.
    func groupedOperator(_ expression: NSExpression) -> NSExpression {
        guard case .keyPath(nil, let path) = expression.node,
            leadsToMany(KeyPathSteps(path))
        else { return expression }
        let function: QueryFunction
        switch KeyPathSteps(path).operatorFunction {
        case .count, .sum: function = .sum
        case .minimum: function = .minimum
        case .maximum: function = .maximum
        default: return expression
        }
        return NSExpression(forFunction: function.rawValue, arguments: [expression])
    }

    private func isCollection(_ expression: NSExpression) -> Bool {
        switch expression.node {
        case .subquery, .aggregate, .setOperation: return true
        case .keyPath(nil, let path):
            let path = KeyPathSteps(path)
            // What a collection operator such as `@count` gives is one value.
            return path.operatorFunction == nil && leadsToMany(path)
        default: return false
        }
    }

    private func leadsToMany(_ path: KeyPathSteps) -> Bool {
        var layout = layout
        for step in path.steps {
            guard case .key(let key) = step, let slot = layout.slot(named: key.name),
                slot.isRelationship
            else { return false }
            if slot.isToMany { return true }
            layout = model.entities[slot.destinationIndex]
        }
        return false
    }
}
