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
    /// About how much of the stack of SQLite's parser the fragment takes; there is room for 100.
    var depth = 0

    /// The deepest fragment that can stand behind `WHERE`.
    static let maximumDepth = 80

    init(_ sql: String, _ bindings: [SQLBinding] = [], depth: Int = 0) {
        self.sql = sql
        self.bindings = bindings
        self.depth = depth
    }

    static let `true` = SQLFragment("1")
    static let `false` = SQLFragment("0")

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(
            left.sql + right.sql,
            left.bindings + right.bindings,
            depth: max(left.depth, right.depth)
        )
    }
    static func + (left: SQLFragment, right: String) -> SQLFragment {
        SQLFragment(left.sql + right, left.bindings, depth: left.depth)
    }
    static func + (left: String, right: SQLFragment) -> SQLFragment {
        SQLFragment(left + right.sql, right.bindings, depth: right.depth)
    }

    /// The fragment inside something that takes so much of the parser's stack before it.
    func nested(_ levels: Int) -> SQLFragment {
        SQLFragment(sql, bindings, depth: depth + levels)
    }

    /// Conditions in a balanced tree, since SQLite limits the depth of an expression. Deep ones
    /// come first, where they take less of the parser's stack.
    static func joined(_ parts: [SQLFragment], _ word: String) -> SQLFragment {
        var sql = "", bindings: [SQLBinding] = []
        // Only where it matters: otherwise the conditions keep the client's order.
        let isDeep = parts.contains { $0.depth > 20 }
        let parts = isDeep ? parts.sorted { $0.depth > $1.depth } : parts
        let depth = append(parts[...], word, &sql, &bindings)
        return SQLFragment(sql, bindings, depth: depth)
    }

    private static func append(
        _ parts: ArraySlice<SQLFragment>,
        _ word: String,
        _ sql: inout String,
        _ bindings: inout [SQLBinding]
    ) -> Int {
        if parts.count == 1, let part = parts.first {
            sql += part.sql
            bindings += part.bindings
            return part.depth
        }
        // Text and bindings grow together, left before right: SQLite counts question marks from the
        // left.
        let middle = parts.startIndex + parts.count / 2
        sql += "("
        let left = append(parts[..<middle], word, &sql, &bindings)
        sql += " \(word) "
        let right = append(parts[middle...], word, &sql, &bindings)
        sql += ")"
        // While the parser reads the left part, only the parenthesis is on its stack; while it
        // reads the right one, also the left part and the word.
        return max(left + 1, right + 3)
    }
}
