import Foundation

/// Checks predicates against a model before they are evaluated in memory, where an unknown key
/// would stop the process. Translation to SQL checks as it goes.
struct PredicateValidation {
    let model: ModelLayout
    let layout: EntityLayout
    private var variables: [String: EntityLayout] = [:]

    init(model: ModelLayout, layout: EntityLayout) {
        self.model = model
        self.layout = layout
    }

    /// - Throws: `QueryError` for keys that the entity lacks, variables without a value and
    ///   malformed regular expressions.
    func check(_ predicate: NSPredicate) throws {
        switch PredicateShape(predicate) {
        case .constant, .opaque: return
        case .not(let part): try check(part)
        case .and(let parts), .or(let parts): for part in parts { try check(part) }
        case .comparison(let comparison):
            try check(comparison.leftExpression)
            try check(comparison.rightExpression)
            // A malformed expression matches no text when it is evaluated; a fetch from SQLite
            // throws instead, and so does this one.
            guard comparison.predicateOperatorType == .matches,
                case .constant(let value) = comparison.rightExpression.node,
                let pattern = value as? String,
                case .failure = TextMatching.regularExpression(
                    pattern,
                    comparison.options
                )
            else { return }
            throw QueryError.malformedPattern(pattern)
        }
    }

    /// - Throws: `QueryError` for keys that the entity lacks.
    func check(_ descriptors: [NSSortDescriptor]) throws {
        for descriptor in descriptors {
            guard let key = descriptor.key else { continue }
            _ = try destination(of: KeyPathSteps(key), from: layout)
        }
    }

    func check(_ expression: NSExpression) throws {
        switch expression.node {
        case .constant, .evaluatedObject, .block, .index, .anyKey: return
        case .fetch(let request, let context, _):
            guard case .constant(let request) = request.node, request is any AnyFetchRequest,
                case .constant(let context) = context.node, context is any FetchExecuting
            else {
                throw QueryError.unsupported(
                    "FETCH needs a fetch request and a context as constants: give them with %@."
                )
            }
        case .variable, .keyPath: _ = try destination(of: expression)
        case .function(_, let parts), .aggregate(let parts): for part in parts { try check(part) }
        case .setOperation(_, let left, let right):
            try check(left)
            try check(right)
        case .conditional(let predicate, let first, let second):
            try check(predicate)
            try check(first)
            try check(second)
        case .subquery(let collection, let name, let predicate):
            try check(collection)
            guard let element = try destination(of: collection) else { return }
            // On a copy, since the variable means something within the subquery only.
            var inner = self
            inner.variables[name] = element
            try inner.check(predicate)
        }
    }

    /// The entity that an expression leads to; nil if it leads to an attribute or is unknown.
    private func destination(of expression: NSExpression) throws -> EntityLayout? {
        switch expression.node {
        case .evaluatedObject: return layout
        case .variable(let name):
            guard let known = variables[name] else { throw QueryError.unboundVariable(name) }
            return known
        case .keyPath(nil, let path): return try destination(of: KeyPathSteps(path), from: layout)
        case .keyPath(let operand?, let path):
            try check(operand)
            let steps = KeyPathSteps(path)
            guard let start = try destination(of: operand) else {
                try checkKeys(of: steps, steps.steps)
                return nil
            }
            return try destination(of: steps, from: start)
        case .subquery(let collection, _, _): return try destination(of: collection)
        default: return nil
        }
    }

    private func destination(
        of path: KeyPathSteps,
        from start: EntityLayout
    ) throws -> EntityLayout? {
        var current: EntityLayout? = start
        for (index, step) in path.steps.enumerated() {
            guard case .key(let step) = step, step.name != "self", step.name != "SELF" else {
                continue
            }
            let key = step.name
            guard let entity = current else {
                try checkKeys(of: path, path.steps[index...])
                return nil
            }
            // A property of such a name goes before the entity and the ID that each object has. Neither
            // of them has the object's keys.
            if key == "entity" || key == "objectID", entity.slot(named: key) == nil {
                current = nil
                continue
            }
            guard let slot = entity.slot(named: key) else {
                throw QueryError.unknownKey(path.path, entity: entity.name)
            }
            // What is in such a value is its own affair.
            if slot.kind == .transformable || slot.kind == .volatile { return nil }
            current = slot.isRelationship ? model.entities[slot.destinationIndex] : nil
        }
        return current
    }

    /// Checks keys that are asked of a plain value, which has but a few.
    private func checkKeys(
        of path: KeyPathSteps,
        _ steps: some Sequence<KeyPathSteps.Step>
    ) throws {
        for case .key(let key) in steps where !KeyPathSteps.valueKeys.contains(key.name) {
            throw QueryError.unsupported(
                "keypath \(path.path) is not possible: a plain value has no key \"\(key.name)\"."
            )
        }
    }
}
