/// The rules for bits: `a & b`, `a | b`, `a ^ b`, `a << b` and `a >> b`.
extension PredicateParser {
    /// Sums with bitwise signs between them: shifts bind tightest, then `&`, `^` and `|`.
    ///
    /// Called with the first operand, so that nested parentheses need no more of the stack.
    mutating func bitwise(_ first: Term, above minimum: Int) throws -> Term {
        var left = first
        while let sign = peekBitwise(), sign.precedence > minimum {
            let start = scanner.position
            scanner.position += sign.length
            var right = try sum()
            while let next = peekBitwise(), next.precedence > sign.precedence {
                right = try bitwise(right, above: sign.precedence)
            }
            left = try combine(sign.function, left, right, at: start)
        }
        return left
    }

    private struct BitwiseSign {
        let function: QueryFunction
        let precedence: Int
        let length: Int
    }

    private mutating func peekBitwise() -> BitwiseSign? {
        scanner.skipSpace()
        // Doubled, `|` and `&` join conditions; single, `<` and `>` compare. Neither belongs to a
        // sum.
        let isDoubled = scanner.current == scanner.byte(ahead: 1)
        return switch scanner.current {
        case UInt8(ascii: "|") where !isDoubled:
            BitwiseSign(function: .bitwiseOr, precedence: 1, length: 1)
        case UInt8(ascii: "^"): BitwiseSign(function: .bitwiseXor, precedence: 2, length: 1)
        case UInt8(ascii: "&") where !isDoubled:
            BitwiseSign(function: .bitwiseAnd, precedence: 3, length: 1)
        case UInt8(ascii: "<") where isDoubled:
            BitwiseSign(function: .leftShift, precedence: 4, length: 2)
        case UInt8(ascii: ">") where isDoubled:
            BitwiseSign(function: .rightShift, precedence: 4, length: 2)
        default: nil
        }
    }
}
