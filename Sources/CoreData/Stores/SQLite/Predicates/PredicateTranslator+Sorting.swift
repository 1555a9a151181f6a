import Foundation

extension PredicateTranslator {
    /// What goes behind `ORDER BY`: the keys, nil first when ascending, then the primary key.
    ///
    /// - Throws: `QueryError` for keys that the entity lacks and for blocks.
    func order(_ descriptors: [NSSortDescriptor]) throws -> SQLFragment {
        var fragment = SQLFragment("")
        for descriptor in descriptors { fragment = fragment + (try order(descriptor)) + ", " }
        // Rows with equal keys would come in any order, and parts of a fetch by offset and limit
        // could overlap.
        return fragment + "\(root.primaryKey)"
    }

    private func order(_ descriptor: NSSortDescriptor) throws -> SQLFragment {
        let own = descriptor as? KeySortDescriptor
        // A descriptor without a key sorts by the object itself, if its class tells that it has no
        // block.
        guard own?.block == nil, let key = descriptor.key ?? own.map({ _ in "self" }) else {
            throw QueryError.unsupported(
                "unsupported NSSortDescriptor (comparator blocks are not supported): "
                    + "sort the fetched objects with it instead."
            )
        }
        let direction = descriptor.ascending ? "" : " DESC"
        guard case .sql(let sql, let type) = try operand(NSExpression(forKeyPath: key)) else {
            // An integer would be the number of a column ("SELECT", The ORDER BY clause).
            return "NULL" + SQLFragment(direction)
        }
        // The blob may begin with a mark and name a file, so that its bytes have nothing to do with
        // its order.
        if type == .opaque {
            throw QueryError.unsupported(
                "unsupported NSSortDescriptor: the values of \(key) have no order in SQLite."
            )
        }
        guard type == .text, let order = own?.order, order != .binary else {
            return sql + direction
        }
        return sql + " COLLATE \(SQLiteFunctions.collation(order))" + direction
    }

    /// A column of a dictionary fetch, or a key to group by.
    func column(_ expression: NSExpression) throws -> SQLFragment {
        switch try operand(expression) {
        case .sql(let sql, _): return sql
        case .constant(let value):
            guard let plain = value.plainOperand else {
                throw unsupported(expression, "the constant can't be part of a SQLite fetch")
            }
            return SQLFragment("?", [plain.binding])
        }
    }
}
