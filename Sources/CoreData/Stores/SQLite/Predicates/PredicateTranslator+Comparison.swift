import Foundation

extension PredicateTranslator {
    typealias Operator = NSComparisonPredicate.Operator
    typealias Options = NSComparisonPredicate.Options

    /// A comparison of two values; NULL or 0 where it is false.
    func compare(
        _ operation: Operator,
        _ options: Options,
        _ left: SQLOperand,
        _ right: SQLOperand
    ) throws -> SQLFragment {
        switch (left, right) {
        case (.constant(let left), .constant(let right)):
            // Not left to SQLite, whose conversions between text and numbers are others than the
            // evaluator's.
            let coerced = QueryComparison.coerced(right, toCompareWith: left)
            return QueryComparison.holds(operation, options, left, coerced) ? .true : .false
        case (.sql(let sql, let type), .constant(let constant)):
            if Self.isTextual(operation) {
                return try matchText(operation, options, (sql, type), constant)
            }
            return try compare(operation, options, sql, type, constant)
        case (.constant(let constant), .sql(let sql, let type)):
            if Self.isTextual(operation) {
                // Its sides can't be exchanged: only one of them is the pattern.
                guard let text = QueryComparison.text(constant), Self.hasText(type) else {
                    return .false
                }
                return Self.call(operation, options, SQLFragment("?", [.text(text)]), sql)
            }
            return try compare(Self.mirrored(operation), options, sql, type, constant)
        case (.sql(let left, let leftType), .sql(let right, let rightType)):
            if Self.isTextual(operation) {
                guard Self.hasText(leftType), Self.hasText(rightType) else { return .false }
                return Self.call(operation, options, left, right)
            }
            return try compare(operation, options, left, leftType, right, rightType)
        }
    }

    private func compare(
        _ operation: Operator,
        _ options: Options,
        _ sql: SQLFragment,
        _ type: SQLType,
        _ constant: QueryValue
    ) throws -> SQLFragment {
        if constant.isNull {
            switch operation {
            // `= NULL` is never true in SQL.
            case .equalTo: return sql + " IS NULL"
            case .notEqualTo: return sql + " IS NOT NULL"
            default: return .false
            }
        }
        if type == .opaque { throw Self.opaque(sql) }
        let binding: SQLBinding?
        if case .reference(let rootIndex) = type {
            // For the evaluator none of them is less than another, as below.
            binding = primaryKey(of: constant, rootIndex: rootIndex).map { .integer($0) }
            guard operation == .equalTo || operation == .notEqualTo else { return .false }
        } else if type == .entity {
            binding = entityNumber(of: constant).map { .integer($0) }
            guard operation == .equalTo || operation == .notEqualTo else { return .false }
        } else {
            binding = constant.binding(for: type)
        }
        // The constant is of a type that no value here has, so that all differ from it, nil too.
        guard let binding else { return operation == .notEqualTo ? .true : .false }
        let sign = try Self.sign(operation)
        if type == .text, TextOrder.needsFolding(options), case .text(let text) = binding {
            let folded = SQLBinding.text(TextOrder.folded(text, options))
            return Self.fold(sql, options) + SQLFragment(" \(sign) ?", [folded])
        }
        // The bare column, since an index over it serves no comparison of what a function makes of
        // it.
        return sql + SQLFragment(" \(sign) ?", [binding])
    }

    private func compare(
        _ operation: Operator,
        _ options: Options,
        _ left: SQLFragment,
        _ leftType: SQLType,
        _ right: SQLFragment,
        _ rightType: SQLType
    ) throws -> SQLFragment {
        // What a file or a transformer stands between, SQL can't tell from other values.
        if leftType == .opaque, rightType == .opaque { throw Self.opaque(left) }
        guard leftType.compares(with: rightType) else {
            // Values that don't compare are equal only in that both are nil.
            switch operation {
            case .equalTo: return "(" + left + " IS NULL AND " + right + " IS NULL)"
            case .notEqualTo: return "(" + left + " IS NOT NULL OR " + right + " IS NOT NULL)"
            default: return .false
            }
        }
        var sign = try Self.sign(operation)
        // Two columns with NULL are equal for the evaluator; `=` would give NULL.
        if operation == .equalTo { sign = "IS" }
        // Primary keys and entity numbers are ordered in SQL, but objects and entities are not.
        switch (leftType, operation) {
        case (.reference, .equalTo), (.reference, .notEqualTo): break
        case (.entity, .equalTo), (.entity, .notEqualTo): break
        case (.reference, _), (.entity, _): return .false
        default: break
        }
        guard leftType == .text, TextOrder.needsFolding(options) else {
            return left + " \(sign) " + right
        }
        return Self.fold(left, options) + " \(sign) " + Self.fold(right, options)
    }

    private static func sign(_ operation: Operator) throws -> String {
        switch operation {
        case .equalTo: return "="
        // `<>` gives NULL where a side is; for the evaluator nil differs from every value.
        case .notEqualTo: return "IS NOT"
        case .lessThan: return "<"
        case .lessThanOrEqualTo: return "<="
        case .greaterThan: return ">"
        case .greaterThanOrEqualTo: return ">="
        default:
            throw QueryError.unsupported(
                "unsupported operator in a SQLite fetch; use one that format strings can write."
            )
        }
    }

    /// The operator with its sides exchanged.
    static func mirrored(_ operation: Operator) -> Operator {
        switch operation {
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        default: operation
        }
    }

    static func opaque(_ sql: SQLFragment) -> QueryError {
        .unsupported(
            "unsupported comparison of \(sql.sql): transformable values and data that may be "
                + "kept in files compare with nil only."
        )
    }

    /// The primary key of the row that a constant identifies in a table of this store; nil if it
    /// identifies none of it.
    func primaryKey(of constant: QueryValue, rootIndex: Int) -> Int64? {
        let subject: Any
        switch constant {
        case .object(let source): subject = source
        case .other(let value): subject = value
        default: return nil
        }
        if let plain = subject as? RowReference {
            return primaryKey(of: plain, rootIndex: rootIndex)
        }
        guard let row = subject as? any StoredRowIdentifiable else { return nil }
        return primaryKey(of: row, rootIndex: rootIndex)
    }

    /// The key of a row of this store and of an inheritance tree; nil if it is none of these.
    ///
    /// A row may be told by an object of another context or by an object ID, which both know it. One
    /// of another store, or one without a row, has no key in this store.
    func primaryKey(of row: any StoredRowIdentifiable, rootIndex: Int) -> Int64? {
        row.rowReference(in: store).flatMap { primaryKey(of: $0, rootIndex: rootIndex) }
    }

    private func primaryKey(of reference: RowReference, rootIndex: Int) -> Int64? {
        guard reference.entityIndex < model.entities.count,
            // Keys are unique in one table only: an object of another inheritance tree may have the
            // same one.
            model.entities[reference.entityIndex].rootIndex == rootIndex
        else { return nil }
        return reference.primaryKey
    }

    /// The number of the entity that a constant is; nil if it is none of the model.
    func entityNumber(of constant: QueryValue) -> Int64? {
        guard case .other(let value) = constant, let entity = value as? NSEntityDescription,
            let layout = model[entity]
        else { return nil }
        return naming.entityNumber(layout.index)
    }

    // MARK: Text

    private static func isTextual(_ operation: Operator) -> Bool {
        switch operation {
        case .beginsWith, .endsWith, .like, .matches, .contains: true
        default: false
        }
    }

    /// Whether pattern operators see text in values of the type.
    static func hasText(_ type: SQLType) -> Bool {
        type == .text || type == .integer || type == .number
    }

    static func fold(_ sql: SQLFragment, _ options: Options) -> SQLFragment {
        // The bits for case and diacritics; others make no difference to a text by itself.
        "MS_FOLD(" + sql + ", \(options.rawValue & 3))"
    }

    /// The evaluator's own code, called by SQLite.
    static func call(
        _ operation: Operator,
        _ options: Options,
        _ left: SQLFragment,
        _ right: SQLFragment
    ) -> SQLFragment {
        "MS_TEXT(\(operation.rawValue), \(options.rawValue), " + left + ", " + right + ")"
    }

    private func matchText(
        _ operation: Operator,
        _ options: Options,
        _ left: (sql: SQLFragment, type: SQLType),
        _ constant: QueryValue
    ) throws -> SQLFragment {
        guard let text = QueryComparison.text(constant), Self.hasText(left.type) else {
            return .false
        }
        // Found here, since a function that SQLite calls could only say that it failed.
        if operation == .matches,
            case .failure = TextMatching.regularExpression(text, options)
        {
            throw QueryError.malformedPattern(text)
        }
        // Columns are compared byte by byte, in which order all texts with a prefix follow each
        // other. That holds for exact text only.
        if left.type == .text, !TextOrder.needsFolding(options) {
            if operation == .beginsWith { return Self.prefix(left.sql, text) }
            if operation == .like, let prefix = Self.prefix(ofPattern: text) {
                return Self.prefix(left.sql, prefix)
            }
            if operation == .contains {
                return "instr(" + left.sql + SQLFragment(", ?) > 0", [.text(text)])
            }
        }
        return Self.call(operation, options, left.sql, SQLFragment("?", [.text(text)]))
    }

    /// A prefix as a range, which an index serves.
    private static func prefix(_ sql: SQLFragment, _ prefix: String) -> SQLFragment {
        guard !prefix.isEmpty else { return sql + " IS NOT NULL" }
        let lower = sql + SQLFragment(" >= ?", [.text(prefix)])
        // Without a successor no text is beyond the prefix, and the lower bound alone says it all.
        guard let successor = successor(ofPrefix: prefix) else { return lower }
        return "(" + lower + " AND " + sql + SQLFragment(" < ?)", [.text(successor)])
    }

    /// The prefix that a pattern asks for, if it is one and a `*` behind it.
    private static func prefix(ofPattern pattern: String) -> String? {
        guard pattern.utf8.last == UInt8(ascii: "*") else { return nil }
        let prefix = pattern.unicodeScalars.dropLast()
        guard !prefix.contains(where: { $0 == "*" || $0 == "?" || $0 == "\\" }) else { return nil }
        return String(prefix)
    }

    /// The first string behind all strings with a prefix; nil if there is none.
    static func successor(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        // Of UTF-8 the order of bytes is that of scalars. A last scalar without a next one is
        // dropped, and the one before it raised; surrogates are no scalars.
        while let last = scalars.popLast() {
            let next = last.value == 0xd7ff ? 0xe000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                return String(text)
            }
        }
        return nil
    }
}
