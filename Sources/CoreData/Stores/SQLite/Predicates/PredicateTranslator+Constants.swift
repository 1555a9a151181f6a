import Foundation

/// Expressions that are the same for all rows, and bits of whole numbers.
extension PredicateTranslator {
    /// The value of an expression that is the same for all rows; nil if it depends on them.
    ///
    /// The request of a `FETCH` expression is executed now, in its own context, so that what that
    /// context has not saved counts as it does in memory.
    func constant(_ expression: NSExpression) throws -> QueryValue? {
        guard case .fetch(let request, let context, let countsOnly) = expression.node else {
            return PredicateCompiler.constant(expression)
        }
        let value = try FetchedValue.value(of: request, in: context, countsOnly: countsOnly)
        guard let value else {
            throw unsupported(
                expression,
                "its request and its context have to be constants: give them with %@"
            )
        }
        return value
    }

    /// SQL's own operators, for whole numbers only; nil for others.
    func wholeBits(
        _ function: QueryFunction,
        _ operands: [SQLOperand]
    ) -> SQLOperand? {
        let fragments = operands.compactMap { operand -> SQLFragment? in
            switch operand {
            case .constant(.integer(let integer)): SQLFragment("?", [.integer(integer)])
            case .sql(let sql, .integer): sql
            default: nil
            }
        }
        // SQLite's operators convert a real operand to an integer in silence; the evaluator decides
        // by itself what becomes of one.
        guard fragments.count == 2, operands.count == 2 else { return nil }
        let sign = function == .bitwiseAnd ? "&" : "|"
        return .sql(
            "(" + fragments[0].nested(1) + " \(sign) " + fragments[1].nested(3) + ")",
            .integer
        )
    }
}
