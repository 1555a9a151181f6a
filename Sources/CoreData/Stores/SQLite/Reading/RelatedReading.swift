/// How to read the content of a to-many relationship: the statement takes the owner's key.
///
/// > Threading: Immutable; any thread.
final class RelatedReading: Sendable {
    let sql: String
    /// The same for the owners whose keys are in a JSON array; the third column is the owner's key.
    let manySQL: String
    /// The whole rows of the members; nil where these say nothing of their owner.
    let rowsSQL: String?
    /// Of the destination, to check what is read.
    let plan: RowPlan

    init(sql: String, manySQL: String, rowsSQL: String?, plan: RowPlan) {
        self.sql = sql
        self.manySQL = manySQL
        self.rowsSQL = rowsSQL
        self.plan = plan
    }
}

extension OpenSQLiteStore {
    /// Nil for a relationship that leads out of the store's configuration.
    func relatedReading(_ slot: PropertySlot) -> RelatedReading? {
        relatedReadings[DeclaredSlot(entity: slot.declaringEntityIndex, slot: slot.index)]
    }

    static func makeRelatedReadings(
        _ schema: StoreSchema,
        plans: [RowPlan?]
    ) -> [DeclaredSlot: RelatedReading] {
        var result: [DeclaredSlot: RelatedReading] = [:]
        for (place, access) in schema.toManyAccess {
            let slot = schema.model.entities[place.entity].slots[place.slot]
            // A destination that is in another store's configuration has no rows in this file.
            guard let plan = plans[slot.destinationIndex] else { continue }
            let one = (hasColumn: false, condition: "= ?")
            let many = (hasColumn: true, condition: "IN (SELECT value FROM json_each(?))")
            result[place] = RelatedReading(
                sql: sql(access, plan, schema, one),
                manySQL: sql(access, plan, schema, many),
                rowsSQL: rowsSQL(access, plan),
                plan: plan
            )
        }
        return result
    }

    private static func rowsSQL(_ access: ToManyAccess, _ plan: RowPlan) -> String? {
        guard let (key, order) = access.columnsOfMembers else { return nil }
        let alias = RowPlan.alias
        let ordering = order.map { order in
            let place = "\(alias).\(SQLName.quoted(order))"
            return " ORDER BY \(place) IS NULL, \(place), \(alias).Z_PK"
        }
        return "SELECT \(plan.selectList) \(plan.fromClause) "
            + "WHERE \(alias).\(SQLName.quoted(key)) = ?\(ordering ?? "")"
    }

    private static func sql(
        _ access: ToManyAccess,
        _ plan: RowPlan,
        _ schema: StoreSchema,
        _ owners: (hasColumn: Bool, condition: String)
    ) -> String {
        func column(_ name: String) -> String {
            owners.hasColumn ? ", \(name)" : ""
        }
        // Key, entity number and then the owner's key in each form: readers take them by their
        // place.
        switch access {
        case .foreignKey(let table, let key, let order), .ownerKey(let table, let key, let order):
            // Members without a place come last: their owner was never told of an order.
            let ordering = order.map {
                " ORDER BY \(SQLName.quoted($0)) IS NULL, \(SQLName.quoted($0)), Z_PK"
            }
            // No condition on the entity: where relationships of a tree's entities have one name,
            // each has a column of its own.
            let name = SQLName.quoted(key)
            return "SELECT Z_PK, Z_ENT\(column(name)) FROM \(SQLName.quoted(table)) "
                + "WHERE \(name) \(owners.condition)\(ordering ?? "")"
        case .join(let table, let own, let other, let order, _):
            let key = "j.\(SQLName.quoted(other))"
            let ordering = order.map {
                " ORDER BY j.\(SQLName.quoted($0)) IS NULL, j.\(SQLName.quoted($0)), \(key)"
            }
            let name = "j.\(SQLName.quoted(own))"
            let filter = "WHERE \(name) \(owners.condition)\(ordering ?? "")"
            // Without other entities in the destination's table, the link says all and no join is
            // due.
            guard plan.layout.hasSubentities || !plan.layout.isRoot else {
                let number = schema.numbers[plan.layout.index]
                return
                    "SELECT \(key), \(number)\(column(name)) FROM \(SQLName.quoted(table)) AS j \(filter)"
            }
            return "SELECT \(key), d.Z_ENT\(column(name)) FROM \(SQLName.quoted(table)) AS j "
                + "JOIN \(SQLName.quoted(plan.tableName)) AS d ON d.Z_PK = \(key) \(filter)"
        }
    }
}
