import Foundation

extension PredicateTranslator {
    /// The value of an expression for one row.
    func operand(_ expression: NSExpression) throws -> SQLOperand {
        // First, since what no row takes part in is worked out by the evaluator's own code and
        // bound as one value, whatever functions it has.
        if let constant = try constant(expression) { return .constant(constant) }
        switch expression.node {
        case .function(let name, let arguments):
            return try function(name, arguments, expression)
        case .conditional(let predicate, let first, let second):
            return try conditional(predicate, first, second, expression)
        case .aggregate, .setOperation, .block, .index, .anyKey, .constant, .fetch:
            throw unsupported(expression, "it can't be part of a SQLite fetch")
        case .evaluatedObject, .variable, .keyPath, .subquery: break
        }
        guard let path = try path(expression) else {
            throw unsupported(expression, "it can't be part of a SQLite fetch")
        }
        switch path {
        case .value(let sql, let type, _): return .sql(sql, type)
        case .aggregate(let collection, let operation):
            return try aggregate(collection, operation, expression)
        case .collection:
            throw QueryError.toManyNotAllowed(PredicatePrinter.string(expression))
        case .misplacedOperator:
            throw unsupported(expression, "the collection operator follows no to-many relationship")
        }
    }

    // MARK: Aggregates

    private func aggregate(
        _ collection: SQLCollection,
        _ operation: KeyPathSteps.CollectionOperator,
        _ expression: NSExpression
    ) throws -> SQLOperand {
        guard let function = operation.function else {
            throw unsupported(expression, "\(operation.rawValue) gives no single value")
        }
        return try aggregate(collection, function, expression)
    }

    private func aggregate(
        _ collection: SQLCollection,
        _ function: QueryFunction,
        _ expression: NSExpression
    ) throws -> SQLOperand {
        if function == .count {
            return .sql("(" + collection.select("COUNT(*)") + ")", .integer)
        }
        let isNumeric = collection.type.isNumeric
        switch function {
        case .sum:
            // What can't be added counts as nothing, as for the evaluator. SUM of no rows is NULL.
            // SQLite's SUM would also add texts that look like numbers.
            // It is no constant, which would be read as the other side's kind; and no bare 0, which
            // would be the number of a column where rows are ordered by it.
            guard isNumeric else { return .sql(SQLFragment("IFNULL(NULL, 0)"), .number) }
            return .sql("IFNULL((" + collection.select(aggregate: "SUM") + "), 0)", .number)
        case .average:
            guard isNumeric else { return .constant(.null) }
            return .sql("(" + collection.select(aggregate: "AVG") + ")", .real)
        case .minimum, .maximum:
            switch collection.type {
            // SQLite would order them by their bytes or numbers, which mean nothing to the client.
            case .opaque, .reference, .entity:
                throw unsupported(expression, "these values have no order")
            default: break
            }
            let name = function == .minimum ? "MIN" : "MAX"
            return .sql("(" + collection.select(aggregate: name) + ")", collection.type)
        default:
            throw unsupported(expression, "SQLite has no such aggregate")
        }
    }

    /// An aggregate over the rows of a group.
    private func rowAggregate(
        _ function: QueryFunction,
        _ sql: SQLFragment,
        _ type: SQLType,
        _ expression: NSExpression
    ) throws -> SQLOperand {
        switch function {
        case .count: return .sql("COUNT(" + sql + ")", .integer)
        // As over a relationship's rows: the sum of nothing is 0.
        case .sum: return .sql("IFNULL(SUM(" + sql + "), 0)", .number)
        case .average: return .sql("AVG(" + sql + ")", .real)
        case .minimum: return .sql("MIN(" + sql + ")", type)
        case .maximum: return .sql("MAX(" + sql + ")", type)
        default: throw unsupported(expression, "SQLite has no such aggregate")
        }
    }

    // MARK: Functions

    private func function(
        _ name: String,
        _ arguments: [NSExpression],
        _ expression: NSExpression
    ) throws -> SQLOperand {
        guard let function = QueryFunction(rawValue: name) else {
            throw unsupported(expression, "the function is not known")
        }
        if function.isAggregate {
            return try aggregateFunction(function, arguments, expression)
        }
        switch function {
        // Once for the statement, so that all rows are asked about the same moment.
        case .now: return .constant(function.call([]))
        case .random, .randomBelow, .element, .distance:
            throw unsupported(expression, "it can't be part of a SQLite fetch")
        default: break
        }
        let operands = try arguments.map(operand)
        let constants = operands.compactMap { operand -> QueryValue? in
            if case .constant(let value) = operand { value } else { nil }
        }
        // Operands may turn out constant although the expression is not, such as the sum of what
        // can't be added.
        if constants.count == operands.count { return .constant(function.call(constants)) }
        switch function {
        case .noIndex: return operands[0]
        case .add, .subtract, .multiply, .divide: return arithmetic(function, operands)
        case .cast: return try cast(operands, expression)
        case .bitwiseAnd, .bitwiseOr:
            return try wholeBits(function, operands) ?? call(function, operands, expression)
        default: return try call(function, operands, expression)
        }
    }

    private func aggregateFunction(
        _ function: QueryFunction,
        _ arguments: [NSExpression],
        _ expression: NSExpression
    ) throws -> SQLOperand {
        // A to-many path is aggregated for each row by a subquery, also where aggregates over a
        // group's rows are allowed.
        if arguments.count == 1, let path = try path(arguments[0]) {
            switch path {
            case .collection(let collection):
                return try aggregate(collection, function, expression)
            case .value(let sql, let type, _) where allowsRowAggregates:
                return try rowAggregate(function, sql, type, expression)
            case .aggregate where allowsRowAggregates:
                // One value of each row's: `sum:(books.@count)`.
                if case .sql(let sql, let type) = try operand(arguments[0]) {
                    return try rowAggregate(function, sql, type, expression)
                }
            default: break
            }
        } else if arguments.count == 1, allowsRowAggregates,
            case .sql(let sql, let type) = try operand(arguments[0])
        {
            return try rowAggregate(function, sql, type, expression)
        }
        let constants = arguments.compactMap(PredicateCompiler.constant)
        guard constants.count == arguments.count else {
            throw unsupported(expression, "its argument is no to-many relationship")
        }
        return .constant(function.call(constants))
    }

    private func arithmetic(_ function: QueryFunction, _ operands: [SQLOperand]) -> SQLOperand {
        let signs: [QueryFunction: String] = [
            .add: "+", .subtract: "-", .multiply: "*", .divide: "/",
        ]
        guard let sign = signs[function], operands.count == 2,
            let left = numeric(operands[0]), let right = numeric(operands[1])
        else { return .constant(.null) }
        return .sql("(" + left.nested(1) + " \(sign) " + right.nested(3) + ")", .number)
    }

    /// The operand as SQL's arithmetic needs it: a date that is stored as an integer is real.
    private func numeric(_ operand: SQLOperand) -> SQLFragment? {
        switch operand {
        case .constant(let value):
            // The evaluator does not add texts, even those that look like numbers.
            if case .text = value { return nil }
            guard let plain = value.plainOperand, plain.type.isNumeric else { return nil }
            return SQLFragment("?", [realIfDecimal(value, plain.binding)])
        case .sql(let sql, .real): return "CAST(" + sql.nested(2) + " AS REAL)"
        case .sql(let sql, let type): return type.isNumeric ? sql : nil
        }
    }

    /// SQL divides integers without a remainder, and the evaluator's functions have other values for
    /// them than for decimals, which need not look like decimals when they are whole.
    private func realIfDecimal(_ value: QueryValue, _ binding: SQLBinding) -> SQLBinding {
        guard case .decimal = value, case .integer(let integer) = binding else { return binding }
        return .real(Double(integer))
    }

    private func cast(
        _ operands: [SQLOperand],
        _ expression: NSExpression
    ) throws -> SQLOperand {
        // Numbers and dates are numbers in columns, so that such a cast only tells what they
        // compare with. Any other would have to change the value itself.
        if operands.count == 2, case .sql(let sql, let type) = operands[0], type.isNumeric,
            case .constant(.text(let name)) = operands[1], let target = CastTarget(name: name)
        {
            switch target {
            case .date: return .sql("CAST(" + sql + " AS REAL)", .real)
            case .number, .decimal: return .sql(sql, type)
            case .string, .url, .data, .scalar: break
            }
        }
        throw unsupported(expression, "SQLite can't cast to this type")
    }

    /// The evaluator's own function, called by SQLite.
    private func call(
        _ function: QueryFunction,
        _ operands: [SQLOperand],
        _ expression: NSExpression
    ) throws -> SQLOperand {
        var fragment = SQLFragment("MS_CALL('\(function.rawValue)'")
        for operand in operands {
            switch operand {
            case .constant(let value):
                guard let plain = value.plainOperand else {
                    throw unsupported(expression, "an argument can't be part of a SQLite fetch")
                }
                fragment = fragment + SQLFragment(", ?", [realIfDecimal(value, plain.binding)])
            // A whole number in a column of reals is stored as an integer; the function has to see
            // a real one, as the evaluator does.
            case .sql(let sql, .real): fragment = fragment + ", CAST(" + sql.nested(6) + " AS REAL)"
            // The evaluator's functions have no value for these either.
            case .sql(_, .scalar), .sql(_, .reference), .sql(_, .entity): return .constant(.null)
            case .sql(_, .opaque):
                throw unsupported(expression, "the function takes no values of this type")
            case .sql(let sql, _): fragment = fragment + ", " + sql.nested(5)
            }
        }
        switch function {
        case .lowercase, .uppercase, .canonical: return .sql(fragment + ")", .text)
        default: return .sql(fragment + ")", .number)
        }
    }

    private func conditional(
        _ predicate: NSPredicate,
        _ first: NSExpression,
        _ second: NSExpression,
        _ expression: NSExpression
    ) throws -> SQLOperand {
        let condition = try condition(predicate)
        let (first, second) = (try plain(operand(first)), try plain(operand(second)))
        guard let first, let second,
            first.isNull || second.isNull
                || first.type == second.type
                || first.type.isNumeric && second.type.isNumeric
        else { throw unsupported(expression, "its two values are of different types") }
        // The comparison around it chooses its form by one type, so that the value without one
        // takes over the other's.
        var type = first.isNull ? second.type : first.type
        if !first.isNull, !second.isNull, first.type != second.type { type = .number }
        return .sql(
            "CASE WHEN " + condition.nested(4) + " THEN " + first.sql.nested(6) + " ELSE "
                + second.sql.nested(6) + " END",
            type
        )
    }

    private func plain(
        _ operand: SQLOperand
    ) -> (sql: SQLFragment, type: SQLType, isNull: Bool)? {
        switch operand {
        case .sql(let sql, let type): (sql, type, false)
        case .constant(let value):
            value.plainOperand.map { (SQLFragment("?", [$0.binding]), $0.type, value.isNull) }
        }
    }
}
