import Foundation

/// A value to bind to a statement.
enum SQLBinding: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
}

/// A piece of SQL with the values for its question marks, in order.
struct SQLFragment: Equatable, Sendable {
    var sql: String
    var bindings: [SQLBinding]

    init(_ sql: String, _ bindings: [SQLBinding] = []) {
        self.sql = sql
        self.bindings = bindings
    }

    static let `true` = SQLFragment("1")
    static let `false` = SQLFragment("0")

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.bindings + right.bindings)
    }
    static func + (left: SQLFragment, right: String) -> SQLFragment {
        SQLFragment(left.sql + right, left.bindings)
    }
    static func + (left: String, right: SQLFragment) -> SQLFragment {
        SQLFragment(left + right.sql, right.bindings)
    }

    /// Conditions in a balanced tree, since SQLite limits the depth of an expression.
    static func joined(_ parts: [SQLFragment], _ word: String) -> SQLFragment {
        var sql = "", bindings: [SQLBinding] = []
        append(parts[...], word, &sql, &bindings)
        return SQLFragment(sql, bindings)
    }

    private static func append(
        _ parts: ArraySlice<SQLFragment>,
        _ word: String,
        _ sql: inout String,
        _ bindings: inout [SQLBinding]
    ) {
        if parts.count == 1, let part = parts.first {
            sql += part.sql
            bindings += part.bindings
            return
        }
        let middle = parts.startIndex + parts.count / 2
        sql += "("
        append(parts[..<middle], word, &sql, &bindings)
        sql += " \(word) "
        append(parts[middle...], word, &sql, &bindings)
        sql += ")"
    }
}
