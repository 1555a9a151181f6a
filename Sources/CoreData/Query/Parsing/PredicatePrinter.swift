import Foundation

/// Writes predicates and expressions as format strings that parse back to equal ones, as far as
/// their constants can be written.
struct PredicatePrinter {
    private let collectsArguments: Bool
    /// The constants that are written as `%@`.
    private(set) var arguments: [Any] = []
    /// The first part that no format string can say: a block, or an object.
    private(set) var unwritten: String?

    /// - Parameter collectsArguments: Whether texts, data and lists become arguments, as archives
    ///   need them.
    init(collectsArguments: Bool) { self.collectsArguments = collectsArguments }

    static func string(_ predicate: NSPredicate) -> String {
        var printer = PredicatePrinter(collectsArguments: false)
        return printer.string(predicate)
    }
    static func string(_ expression: NSExpression) -> String {
        var printer = PredicatePrinter(collectsArguments: false)
        return printer.string(expression)
    }

    // MARK: Predicates

    mutating func string(_ predicate: NSPredicate) -> String {
        switch PredicateShape(predicate) {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): return string(comparison)
        case .and(let parts):
            // A compound of no parts can't be written; the constant holds wherever it does.
            return parts.isEmpty ? "TRUEPREDICATE" : joined(parts, " AND ")
        case .or(let parts):
            return parts.isEmpty ? "FALSEPREDICATE" : joined(parts, " OR ")
        case .not(let part): return "NOT " + grouped(part)
        case .opaque:
            unwritten = unwritten ?? "a block predicate"
            return "BLOCKPREDICATE"
        }
    }

    private mutating func joined(_ parts: [NSPredicate], _ word: String) -> String {
        parts.map { grouped($0) }.joined(separator: word)
    }

    private mutating func grouped(_ predicate: NSPredicate) -> String {
        switch PredicateShape(predicate) {
        case .and, .or: "(" + string(predicate) + ")"
        default: string(predicate)
        }
    }

    private mutating func string(_ comparison: NSComparisonPredicate) -> String {
        let modifier: String
        switch comparison.comparisonPredicateModifier {
        case .direct: modifier = ""
        case .any: modifier = "ANY "
        case .all: modifier = "ALL "
        }
        return modifier + operand(comparison.leftExpression) + " "
            + Self.string(comparison.predicateOperatorType) + Self.string(comparison.options) + " "
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

    mutating func string(_ expression: NSExpression) -> String {
        switch expression.node {
        case .constant(let value): return constant(value)
        case .evaluatedObject: return "SELF"
        case .variable(let name): return "$" + name
        case .keyPath(let inner, let path):
            if inner == nil, Self.beginsWithVariable(path) { return path }
            guard Self.isWritable(path) else { return valueForKeyPath(path, inner) }
            guard let inner else { return Self.keyPath(path) }
            return operand(inner) + "." + Self.keyPath(path)
        case .function(let name, let arguments): return function(name, arguments)
        case .aggregate(let parts):
            return "{" + parts.map { string($0) }.joined(separator: ", ") + "}"
        case .setOperation(let operation, let left, let right):
            return operand(left) + " \(operation.rawValue) " + operand(right)
        case .subquery(let collection, let name, let predicate):
            return "SUBQUERY(\(string(collection)), $\(name), \(string(predicate)))"
        case .conditional(let predicate, let first, let second):
            return "TERNARY(\(string(predicate)), \(string(first)), \(string(second)))"
        case .block:
            unwritten = unwritten ?? "a block"
            return "BLOCK"
        case .fetch(let request, let context, let countsOnly):
            return "FETCH(\(string(request)), \(string(context)), \(countsOnly ? "YES" : "NO"))"
        case .index(let symbol): return symbol.rawValue
        case .anyKey: return "ANYKEY"
        }
    }

    private static let infix: [String: String] = [
        QueryFunction.add.rawValue: "+", QueryFunction.subtract.rawValue: "-",
        QueryFunction.multiply.rawValue: "*", QueryFunction.divide.rawValue: "/",
        QueryFunction.power.rawValue: "**",
    ]

    private mutating func function(_ name: String, _ arguments: [NSExpression]) -> String {
        if let sign = Self.infix[name], arguments.count == 2 {
            return operand(arguments[0]) + " \(sign) " + operand(arguments[1])
        }
        if name == QueryFunction.cast.rawValue {
            return "CAST(" + arguments.map { string($0) }.joined(separator: ", ") + ")"
        }
        if name == QueryFunction.element.rawValue, arguments.count == 2 {
            return operand(arguments[0]) + "[" + index(arguments[1]) + "]"
        }
        let list = arguments.map { string($0) }
        if QueryFunction(rawValue: name) == nil, let target = list.first {
            let rest = [target, Self.quoted(name)] + list.dropFirst()
            return "FUNCTION(" + rest.joined(separator: ", ") + ")"
        }
        return name + "(" + list.joined(separator: ", ") + ")"
    }

    /// What stands in brackets: a key with the name of a symbol has to be told from the symbol.
    private mutating func index(_ expression: NSExpression) -> String {
        guard case .keyPath(nil, let key) = expression.node, Self.isWritable(key),
            ExpressionNode.IndexSymbol(rawValue: key.uppercased()) != nil
        else { return string(expression) }
        return "#" + key
    }

    /// An expression inside another: arithmetic in parentheses.
    private mutating func operand(_ expression: NSExpression) -> String {
        switch expression.node {
        // Precedence is not weighed: parentheses around all of it parse back to the same tree.
        case .function(let name, _) where Self.infix[name] != nil: "(" + string(expression) + ")"
        case .setOperation: "(" + string(expression) + ")"
        default: string(expression)
        }
    }

    /// Whether every key of the path is a name.
    private static func isWritable(_ path: String) -> Bool {
        path.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            let name = part.utf8.first == UInt8(ascii: "@") ? part.dropFirst() : part
            return name.utf8.first.map(FormatScanner.isNameStart) ?? false
                && name.utf8.allSatisfy(FormatScanner.isNamePart)
        }
    }

    /// Whether a path is `$variable.key`, as clients write it that put a format together: it means the
    /// variable's key there.
    private static func beginsWithVariable(_ path: String) -> Bool {
        path.hasPrefix("$") && isWritable(String(path.dropFirst()))
    }

    /// A path whose keys are no names: `%K` makes such.
    private mutating func valueForKeyPath(_ path: String, _ operand: NSExpression?) -> String {
        let start = operand.map { string($0) } ?? "SELF"
        return "FUNCTION(\(start), \"valueForKeyPath:\", \(Self.quoted(path)))"
    }

    private static func keyPath(_ path: String) -> String {
        path.split(separator: ".").map { part in
            // Without the sign the parser would take the key for its keyword.
            let isReserved = FormatKeyword.byName[part.uppercased()]?.isReservedEverywhere ?? false
            return isReserved ? "#" + part : String(part)
        }.joined(separator: ".")
    }

    /// A constant as it is written: the elements of a set by the order of their texts, since a set
    /// hands them out in any order, and the same set not always in the same one.
    static func listed(_ constant: Any?) -> QueryValue {
        let value = constant.flatMap(unwrapped)
        guard let set = value as? Set<AnyHashable> else { return QueryValue(value) }
        let elements = set.map { element in
            let value = QueryValue(element.base)
            var printer = PredicatePrinter(collectsArguments: false)
            return (text: printer.constant(value.anyValue), value: value)
        }
        return .collection(elements.sorted { $0.text < $1.text }.map(\.value))
    }

    private mutating func constant(_ value: Any?) -> String {
        guard let value else { return "nil" }
        // A Bool of Swift's only: the cast alone would take numbers, too.
        if type(of: value) == Bool.self, let flag = value as? Bool { return flag ? "1" : "0" }
        let plain = Self.listed(value)
        switch plain {
        case .null: return "nil"
        case .integer(let integer): return String(integer)
        case .real(let real) where real.isFinite: return "\(real)"
        // There is no literal for what is not finite.
        case .real(let real): return "CAST(\"\(real)\", \"NSNumber\")"
        default: break
        }
        if collectsArguments, let argument = QueryArchive.archivable(plain) {
            arguments.append(argument)
            return "%@"
        }
        switch plain {
        case .decimal(let decimal): return "CAST(\"\(decimal)\", \"NSDecimalNumber\")"
        case .text(let text): return Self.quoted(text)
        case .date(let seconds) where seconds.isFinite: return "CAST(\(seconds), \"NSDate\")"
        case .date(let seconds): return "CAST(\"\(seconds)\", \"NSDate\")"
        case .scalar(let scalar): return cast(scalar)
        case .url(let url): return "CAST(\(Self.quoted(url.absoluteString)), \"NSURL\")"
        case .bytes(let data): return "CAST(\"\(data.base64EncodedString())\", \"NSData\")"
        case .collection(let values):
            return "{" + values.map { constant($0.anyValue) }.joined(separator: ", ") + "}"
        default:
            unwritten = unwritten ?? "an object"
            return "\(value)"
        }
    }

    private mutating func cast(_ scalar: QueryScalar) -> String {
        guard let text = scalar.text,
            let name = AttributeKinds.kind(of: scalar.kind)?.valueClassName
        else {
            unwritten = unwritten ?? "a value that no text says"
            return "\(scalar.kind)"
        }
        return "CAST(\(Self.quoted(text)), \"\(name)\")"
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
