import Foundation

/// Writes predicates and expressions as format strings that parse back to equal ones, as far as
/// their constants can be written.
enum PredicatePrinter {
    static func string(_ predicate: NSPredicate) -> String {
        switch PredicateShape(predicate) {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): return string(comparison)
        case .and(let parts):
            return parts.isEmpty ? "TRUEPREDICATE" : joined(parts, " AND ")
        case .or(let parts):
            return parts.isEmpty ? "FALSEPREDICATE" : joined(parts, " OR ")
        case .not(let part): return "NOT " + grouped(part)
        case .opaque: return "BLOCKPREDICATE"
        }
    }

    private static func joined(_ parts: [NSPredicate], _ word: String) -> String {
        parts.map(grouped).joined(separator: word)
    }

    private static func grouped(_ predicate: NSPredicate) -> String {
        switch PredicateShape(predicate) {
        case .and, .or: "(" + string(predicate) + ")"
        default: string(predicate)
        }
    }

    private static func string(_ comparison: NSComparisonPredicate) -> String {
        let modifier: String
        switch comparison.comparisonPredicateModifier {
        case .direct: modifier = ""
        case .any: modifier = "ANY "
        case .all: modifier = "ALL "
        }
        return modifier + operand(comparison.leftExpression) + " "
            + string(comparison.predicateOperatorType) + string(comparison.options) + " "
            + operand(comparison.rightExpression)
    }

    private static func string(_ type: NSComparisonPredicate.Operator) -> String {
        switch type {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        case .customSelector: "CUSTOM"
        }
    }

    private static func string(_ options: NSComparisonPredicate.Options) -> String {
        var letters = ""
        if options.contains(.caseInsensitive) { letters += "c" }
        if options.contains(.diacriticInsensitive) { letters += "d" }
        if options.contains(.normalized) { letters += "n" }
        if options.contains(.localeSensitive) { letters += "l" }
        return letters.isEmpty ? "" : "[\(letters)]"
    }

    // MARK: Expressions

    static func string(_ expression: NSExpression) -> String {
        switch expression.node {
        case .constant(let value): return constant(value)
        case .evaluatedObject: return "SELF"
        case .variable(let name): return "$" + name
        case .keyPath(let inner, let path):
            guard let inner else { return keyPath(path) }
            return operand(inner) + "." + keyPath(path)
        case .function(let name, let arguments): return function(name, arguments)
        case .aggregate(let parts):
            return "{" + parts.map(string).joined(separator: ", ") + "}"
        case .setOperation(let operation, let left, let right):
            return operand(left) + " \(operation.rawValue) " + operand(right)
        case .subquery(let collection, let name, let predicate):
            return "SUBQUERY(\(string(collection)), $\(name), \(string(predicate)))"
        case .conditional(let predicate, let first, let second):
            return "TERNARY(\(string(predicate)), \(string(first)), \(string(second)))"
        case .block: return "BLOCK"
        case .index(let symbol): return symbol.rawValue
        case .anyKey: return "ANYKEY"
        }
    }

    private static let infix: [String: String] = [
        QueryFunction.add.rawValue: "+", QueryFunction.subtract.rawValue: "-",
        QueryFunction.multiply.rawValue: "*", QueryFunction.divide.rawValue: "/",
        QueryFunction.power.rawValue: "**",
    ]

    private static func function(_ name: String, _ arguments: [NSExpression]) -> String {
        if let sign = infix[name], arguments.count == 2 {
            return operand(arguments[0]) + " \(sign) " + operand(arguments[1])
        }
        if name == QueryFunction.cast.rawValue {
            return "CAST(" + arguments.map(string).joined(separator: ", ") + ")"
        }
        if name == QueryFunction.element.rawValue, arguments.count == 2 {
            return operand(arguments[0]) + "[" + string(arguments[1]) + "]"
        }
        return name + "(" + arguments.map(string).joined(separator: ", ") + ")"
    }

    /// An expression inside another: arithmetic in parentheses.
    private static func operand(_ expression: NSExpression) -> String {
        switch expression.node {
        case .function(let name, _) where infix[name] != nil: "(" + string(expression) + ")"
        case .setOperation: "(" + string(expression) + ")"
        default: string(expression)
        }
    }

    private static func keyPath(_ path: String) -> String {
        path.split(separator: ".").map { part in
            let isReserved = FormatKeyword.byName[part.uppercased()]?.isReservedEverywhere ?? false
            return isReserved ? "#" + part : String(part)
        }.joined(separator: ".")
    }

    private static func constant(_ value: Any?) -> String {
        if let flag = value as? Bool, Swift.type(of: flag) == Swift.type(of: value ?? flag) {
            return flag ? "TRUE" : "FALSE"
        }
        switch QueryValue(value) {
        case .null: return "nil"
        case .integer(let integer): return String(integer)
        case .real(let real): return "\(real)"
        case .decimal(let decimal): return "CAST(\"\(decimal)\", \"NSDecimalNumber\")"
        case .text(let text): return quoted(text)
        case .date(let seconds): return "CAST(\(seconds), \"NSDate\")"
        case .uuid(let uuid): return "CAST(\"\(uuid.uuidString)\", \"NSUUID\")"
        case .url(let url): return "CAST(\(quoted(url.absoluteString)), \"NSURL\")"
        case .collection(let values):
            return "{" + values.map { constant($0.anyValue) }.joined(separator: ", ") + "}"
        case .bytes(let data): return "<\(data.count) bytes>"
        case .object, .other: return value.map { "\($0)" } ?? "nil"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
