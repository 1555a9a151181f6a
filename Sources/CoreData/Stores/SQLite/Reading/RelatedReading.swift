/// How to read the content of a to-many relationship: the statement takes the owner's key.
struct RelatedReading {
    let sql: String
    /// Of the destination, to check what is read.
    let plan: RowPlan
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
            guard let plan = plans[slot.destinationIndex] else { continue }
            result[place] = RelatedReading(sql: sql(access, plan, schema), plan: plan)
        }
        return result
    }

    private static func sql(
        _ access: ToManyAccess,
        _ plan: RowPlan,
        _ schema: StoreSchema
    ) -> String {
        switch access {
        case .foreignKey(let table, let column, let order),
            .ownerKey(let table, let column, let order):
            // Members without a place come last: their owner was never told of an order.
            let ordering = order.map {
                " ORDER BY \(SQLName.quoted($0)) IS NULL, \(SQLName.quoted($0)), Z_PK"
            }
            return "SELECT Z_PK, Z_ENT FROM \(SQLName.quoted(table)) "
                + "WHERE \(SQLName.quoted(column)) = ?\(ordering ?? "")"
        case .join(let table, let own, let other, let order, _):
            let key = "j.\(SQLName.quoted(other))"
            let ordering = order.map {
                " ORDER BY j.\(SQLName.quoted($0)) IS NULL, j.\(SQLName.quoted($0)), \(key)"
            }
            let filter = "WHERE j.\(SQLName.quoted(own)) = ?\(ordering ?? "")"
            guard plan.layout.hasSubentities || !plan.layout.isRoot else {
                let number = schema.numbers[plan.layout.index]
                return "SELECT \(key), \(number) FROM \(SQLName.quoted(table)) AS j \(filter)"
            }
            return "SELECT \(key), d.Z_ENT FROM \(SQLName.quoted(table)) AS j "
                + "JOIN \(SQLName.quoted(plan.tableName)) AS d ON d.Z_PK = \(key) \(filter)"
        }
    }
}
