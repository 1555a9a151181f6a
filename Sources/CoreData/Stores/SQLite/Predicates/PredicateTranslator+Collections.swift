import Foundation

extension PredicateTranslator {
    /// Longer lists of constants go into one parameter as JSON.
    static let maximumInlineCount = 500

    // MARK: ANY and ALL

    func quantified(_ comparison: NSComparisonPredicate) throws -> SQLFragment {
        let isAny = comparison.comparisonPredicateModifier == .any
        let left = comparison.leftExpression
        switch try path(left) {
        case .collection(let collection):
            let condition = try test(comparison, .sql(collection.element, collection.type))
            // ALL asks for no element of which it is not true; NULL, for a nil, is not true either.
            // The comparison stands inside the subquery, since it has to hold for one and the same
            // element.
            if isAny { return "EXISTS (" + collection.select("1", where: condition) + ")" }
            let exception = Self.negated(condition)
            return "NOT EXISTS (" + collection.select("1", where: exception) + ")"
        case .value(let sql, let type, let throughPrimaryKey):
            let condition = try test(comparison, .sql(sql, type))
            // nil before the last key is an empty collection, as for the evaluator.
            guard let throughPrimaryKey else { return condition }
            return isAny
                ? "(\(throughPrimaryKey) IS NOT NULL AND " + condition + ")"
                : "(\(throughPrimaryKey) IS NULL OR " + condition + ")"
        default: break
        }
        guard case .collection(let elements)? = try constant(left) else {
            return try test(comparison, try operand(left))
        }
        let tests = try elements.map { try test(comparison, .constant($0)) }
        guard !tests.isEmpty else { return isAny ? .false : .true }
        return SQLFragment.joined(tests, isAny ? "OR" : "AND")
    }

    /// The comparison, asked of one element.
    private func test(
        _ comparison: NSComparisonPredicate,
        _ element: SQLOperand
    ) throws -> SQLFragment {
        let right = comparison.rightExpression, options = comparison.options
        switch comparison.predicateOperatorType {
        case .in: return try membership(element, in: right, options)
        case .between:
            guard case .collection(let bounds)? = PredicateCompiler.constant(right),
                bounds.count == 2
            else { throw unsupported(right, "BETWEEN needs two constant bounds here") }
            return SQLFragment.joined(
                [
                    try compare(.greaterThanOrEqualTo, options, element, .constant(bounds[0])),
                    try compare(.lessThanOrEqualTo, options, element, .constant(bounds[1])),
                ],
                "AND"
            )
        default:
            return try compare(
                comparison.predicateOperatorType,
                options,
                element,
                try operand(right)
            )
        }
    }

    // MARK: IN and CONTAINS

    func membership(
        _ element: NSExpression,
        in whole: NSExpression,
        _ options: Options
    ) throws -> SQLFragment {
        try membership(try operand(element), in: whole, options)
    }

    func membership(
        _ element: SQLOperand,
        in whole: NSExpression,
        _ options: Options
    ) throws -> SQLFragment {
        if let rows = rowMembership(element, in: whole) { return rows }
        if let constant = try constant(whole) {
            if case .collection(let constants) = constant {
                return try membership(element, constants, options)
            }
            // A text IN a text asks whether it is a part of it.
            return try compare(.contains, options, .constant(constant), element)
        }
        if case .aggregate(let parts) = whole.node {
            let tests = try parts.map { try compare(.equalTo, options, element, operand($0)) }
            return tests.isEmpty ? .false : SQLFragment.joined(tests, "OR")
        }
        if case .collection(let collection)? = try path(whole) {
            let values = SQLOperand.sql(collection.element, collection.type)
            let condition = try compare(.equalTo, options, values, element)
            return "EXISTS (" + collection.select("1", where: condition) + ")"
        }
        return try compare(.contains, options, try operand(whole), element)
    }

    /// Whether a row is one of a list of objects or object IDs; nil if something else is asked.
    ///
    /// Such lists are long, those of pages say, and turning each of their elements into a
    /// `QueryValue` first takes longer than the rest of a translation.
    private func rowMembership(_ element: SQLOperand, in whole: NSExpression) -> SQLFragment? {
        guard case .sql(let sql, .reference(let rootIndex)) = element,
            case .constant(let list) = whole.node,
            let rows = list as? [any StoredRowIdentifiable]
        else { return nil }
        let keys = rows.compactMap { primaryKey(of: $0, rootIndex: rootIndex) }
        guard !keys.isEmpty else { return .false }
        return SQLFragment.joined(Self.lists(sql, keys.map { .integer($0) }), "OR")
    }

    private func membership(
        _ element: SQLOperand,
        _ constants: [QueryValue],
        _ options: Options
    ) throws -> SQLFragment {
        guard case .sql(let sql, let type) = element else {
            guard case .constant(let value) = element else { return .false }
            return MembershipSet(constants, options).contains(value) ? .true : .false
        }
        var bindings: [SQLBinding] = []
        bindings.reserveCapacity(constants.count)
        var hasNull = false
        for constant in constants {
            // `x IN (NULL)` is NULL in SQL, but nil is in a list with nil for the evaluator.
            if constant.isNull {
                hasNull = true
            } else if case .reference(let rootIndex) = type {
                if let key = primaryKey(of: constant, rootIndex: rootIndex) {
                    bindings.append(.integer(key))
                }
            } else if type == .entity {
                if let number = entityNumber(of: constant) { bindings.append(.integer(number)) }
            } else if let binding = constant.binding(for: type) {
                bindings.append(binding)
            }
        }
        // NULL means nil in every form of storage, so that a list of nothing else can be asked
        // about.
        if type == .opaque, constants.contains(where: { !$0.isNull }) { throw Self.opaque(sql) }
        // Both sides are folded by the same code; folding the column alone would compare folded
        // text with what the client wrote.
        var subject = sql
        if type == .text, TextOrder.needsFolding(options) {
            subject = Self.fold(sql, options)
            bindings = bindings.map { binding in
                guard case .text(let text) = binding else { return binding }
                return .text(TextOrder.folded(text, options))
            }
        }
        var parts: [SQLFragment] = []
        if !bindings.isEmpty { parts += Self.lists(subject, bindings) }
        if hasNull { parts.append(sql + " IS NULL") }
        return parts.isEmpty ? .false : SQLFragment.joined(parts, "OR")
    }

    /// `IN` lists: inline while they are short, else one JSON array a kind of value.
    private static func lists(_ subject: SQLFragment, _ bindings: [SQLBinding]) -> [SQLFragment] {
        // Each length of a list is another statement to prepare, and SQLite bounds the number of
        // parameters (sqlite.org/limits.html); JSON is one parameter.
        guard bindings.count > maximumInlineCount else {
            let marks = repeatElement("?", count: bindings.count).joined(separator: ", ")
            return [subject + SQLFragment(" IN (\(marks))", bindings)]
        }
        var integers: [String] = [], reals: [String] = [], blobs: [String] = []
        var texts: [String] = [], inline: [SQLBinding] = []
        for binding in bindings {
            switch binding {
            case .integer(let integer): integers.append(String(integer))
            // Bits, since SQLite does not read all decimal fractions back exactly.
            case .real(let real): reals.append(String(Int64(bitPattern: real.bitPattern)))
            case .blob(let data): blobs.append("\"\(SQLiteFunctions.hex(data))\"")
            // SQLite's JSON ends a string at a NUL.
            case .text(let text) where text.utf8.contains(0): inline.append(binding)
            case .text(let text): texts.append(quotedJSON(text))
            case .null: break
            }
        }
        var parts: [SQLFragment] = []
        func add(_ elements: [String], _ value: String) {
            // Lists of one kind each: an array of several kinds would need one function to read
            // them all back.
            guard !elements.isEmpty else { return }
            let json = SQLBinding.text("[\(elements.joined(separator: ","))]")
            parts.append(
                subject + SQLFragment(" IN (SELECT \(value) FROM json_each(?))", [json])
            )
        }
        add(integers, "value")
        add(reals, "MS_REAL(value)")
        add(blobs, "MS_BLOB(value)")
        add(texts, "value")
        if !inline.isEmpty { parts += inline.map { subject + SQLFragment(" = ?", [$0]) } }
        return parts
    }

    private static func quotedJSON(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            // JSON allows no control characters in strings.
            case "\u{1}"..<" ":
                let code = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - code.count) + code
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    // MARK: Counts

    /// `@count > 0` and its like need no counting; nil for other comparisons.
    func countComparison(
        _ left: NSExpression,
        _ operation: Operator,
        _ right: NSExpression
    ) throws -> SQLFragment? {
        guard case .keyPath(_, let path) = left.node, path.hasSuffix("@count"),
            case .integer(let bound)? = PredicateCompiler.constant(right)
        else { return nil }
        let asksForAny: Bool
        switch (operation, bound) {
        case (.greaterThan, 0), (.notEqualTo, 0), (.greaterThanOrEqualTo, 1): asksForAny = true
        case (.equalTo, 0), (.lessThan, 1), (.lessThanOrEqualTo, 0): asksForAny = false
        // Other bounds need the number itself.
        default: return nil
        }
        guard case .aggregate(let collection, .count)? = try self.path(left) else { return nil }
        // Stops at the first row, where a count would visit all.
        return (asksForAny ? "EXISTS (" : "NOT EXISTS (") + collection.select("1") + ")"
    }
}
