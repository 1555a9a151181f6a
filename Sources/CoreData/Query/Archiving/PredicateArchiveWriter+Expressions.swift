import Foundation

extension PredicateArchiveWriter {
    /// A reference to an expression; to nil for nil.
    func expression(_ expression: NSExpression?) throws(UnwritableQuery) -> PropertyListValue {
        guard let expression else { return KeyedArchiveBuilder.null }
        switch expression.node {
        case .constant(let value): return try constant(value)
        case .evaluatedObject: return make("NSSelfExpression", 1, [:])
        case .variable(let name):
            return make("NSVariableExpression", 2, ["NSVariable": builder.string(name)])
        case .keyPath(let operand, let path): return try keyPath(path, of: operand)
        case .function(let name, let arguments): return try function(name, arguments)
        case .aggregate(let parts):
            return make("NSAggregateExpression", 14, ["NSCollection": try list(parts)])
        case .setOperation(let operation, let left, let right):
            return make(
                "NSSetExpression",
                Self.type(of: operation),
                [
                    "NSLeftExpression": try self.expression(left),
                    "NSRightExpression": try self.expression(right),
                ]
            )
        case .subquery(let collection, let variable, let predicate):
            return make(
                "NSSubqueryExpression",
                13,
                [
                    "NSCollection": try self.expression(collection),
                    "NSVariable": builder.string(variable),
                    "NSSubpredicate": try self.predicate(predicate),
                ]
            )
        case .conditional(let predicate, let yes, let no):
            return make(
                "NSTernaryExpression",
                20,
                [
                    "NSPredicate": try self.predicate(predicate),
                    "NSTrueExpression": try self.expression(yes),
                    "NSFalseExpression": try self.expression(no),
                ]
            )
        case .anyKey: return make("NSAnyKeyExpression", 15, [:])
        case .block: throw UnwritableQuery(what: "an expression of a block")
        case .index: throw UnwritableQuery(what: "an index")
        case .fetch(let request, let context, let countsOnly):
            guard allowsCalls else { throw UnwritableQuery(what: "a fetch request expression") }
            return make(
                "NSFetchRequestExpression",
                50,
                [
                    "NSFRExpression": try self.expression(request),
                    "NSMOCExpression": try self.expression(context),
                    "NSCountOnlyFlag": .boolean(countsOnly),
                ]
            )
        }
    }

    /// One class stands for all three operations: only the type's number tells them apart.
    private static func type(of operation: ExpressionNode.SetOperation) -> Int64 {
        switch operation {
        case .union: 5
        case .intersect: 6
        case .minus: 7
        }
    }

    private func make(
        _ name: String,
        _ type: Int64,
        _ fields: [String: PropertyListValue],
        parents: [String] = []
    ) -> PropertyListValue {
        var fields = fields
        fields["NSExpressionType"] = .integer(type)
        return builder.object([name] + parents + ["NSExpression", "NSObject"], fields)
    }

    private func constant(_ value: Any?) throws(UnwritableQuery) -> PropertyListValue {
        var reference = KeyedArchiveBuilder.null
        if let value {
            do throws(UnarchivableValue) {
                reference = try builder.value(value)
            } catch {
                throw UnwritableQuery(what: "a constant of type \(error.typeName)")
            }
        }
        return make("NSConstantValueExpression", 0, ["NSConstantValue": reference])
    }

    /// A single key of the evaluated object is a key path, everything else a call of a method that
    /// gives one.
    private func keyPath(
        _ path: String,
        of operand: NSExpression?
    ) throws(UnwritableQuery) -> PropertyListValue {
        let isKey = operand == nil && !path.contains(".")
        let specifier = make(
            "NSKeyPathSpecifierExpression",
            10,
            ["NSKeyPath": builder.string(path)]
        )
        return make(
            "NSKeyPathExpression",
            operand == nil ? 3 : 4,
            [
                "NSOperand": try expression(operand ?? NSExpression(.evaluatedObject)),
                "NSSelectorName": builder.string(isKey ? "valueForKey:" : "valueForKeyPath:"),
                "NSArguments": builder.array([specifier], isMutable: true),
            ],
            parents: ["NSFunctionExpression"]
        )
    }

    private func function(
        _ name: String,
        _ arguments: [NSExpression]
    ) throws(UnwritableQuery) -> PropertyListValue {
        if allowsCalls, let target = arguments.first, case .variable = target.node {
            return make(
                "NSFunctionExpression",
                4,
                [
                    "NSOperand": try expression(target), "NSSelectorName": builder.string(name),
                    "NSArguments": try list(Array(arguments.dropFirst())),
                ]
            )
        }
        // By this operand a reader tells functions of the language from methods of a target.
        let functions = make(
            "NSConstantValueExpression",
            0,
            ["NSConstantValueClassName": builder.string(PredicateArchiveReader.functionClass)]
        )
        return make(
            "NSFunctionExpression",
            4,
            [
                "NSOperand": functions, "NSSelectorName": builder.string(name),
                "NSArguments": try list(arguments),
            ]
        )
    }

    private func list(_ expressions: [NSExpression]) throws(UnwritableQuery) -> PropertyListValue {
        var parts: [PropertyListValue] = []
        for part in expressions { parts.append(try expression(part)) }
        return builder.array(parts)
    }
}
