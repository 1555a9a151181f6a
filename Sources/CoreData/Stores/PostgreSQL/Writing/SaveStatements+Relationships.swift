#if PostgreSQL
import Foundation

/// What the rows themselves do not say of to-many relationships; see `StoreWriter+Relationships`.
extension SaveStatements {
    /// Removes deleted rows from join tables, and from the rows that they owned.
    mutating func removeJoins(of references: [RowReference]) {
        let byEntity = Dictionary(grouping: references, by: \.entityIndex)
            .sorted { $0.key < $1.key }
        for (entityIndex, references) in byEntity {
            let layout = store.model.entities[entityIndex]
            let keys = PostgreSQLParameter.keys(references.map(\.primaryKey).sorted())
            for slot in layout.toManySlots {
                switch store.access(layout.slots[slot]) {
                case .join(let table, let own, let other, _, let isReflexive):
                    let columns = isReflexive ? [own, other] : [own]
                    for column in columns {
                        add("DELETE FROM \(schema.path(table)) WHERE \(q(column)) = ANY($1)", keys)
                    }
                case .ownerKey(let table, let column, let order):
                    let columns = [column] + [order].compactMap(\.self)
                    add(
                        "UPDATE \(schema.path(table)) SET "
                            + columns.map { "\(q($0)) = NULL" }.joined(separator: ", ")
                            + " WHERE \(q(column)) = ANY($1)",
                        keys
                    )
                // The members' own rows say it.
                case .foreignKey, nil: break
                }
            }
        }
    }

    /// What was added and removed, then the places in ordered ones, when all members are there.
    mutating func change(_ changes: [StoreChangeSet.ToManyChange]) throws {
        let groups = Dictionary(grouping: changes) { change in
            let slot = store.model.entities[change.owner.entityIndex].slots[change.slot]
            return DeclaredSlot(entity: slot.declaringEntityIndex, slot: slot.index)
        }
        .sorted { ($0.key.entity, $0.key.slot) < ($1.key.entity, $1.key.slot) }
        // All removals come first: both ends of a relationship may be among the changes.
        for (place, changes) in groups { remove(place, changes) }
        for (place, changes) in groups { addMembers(place, changes) }
        for (place, changes) in groups { try order(place, changes) }
    }

    private mutating func remove(_ place: DeclaredSlot, _ changes: [StoreChangeSet.ToManyChange]) {
        let (owners, members) = pairs(changes, \.removed)
        guard owners.count > 0, let access = store.toManyAccess[place] else { return }
        switch access {
        case .join(let table, let own, let other, _, let isReflexive):
            for (first, second) in isReflexive ? [(own, other), (other, own)] : [(own, other)] {
                add(
                    "DELETE FROM \(schema.path(table)) t USING unnest($1::int8[], $2::int8[]) "
                        + "AS n(a, b) WHERE t.\(q(first)) = n.a AND t.\(q(second)) = n.b",
                    owners.parameter,
                    members.parameter
                )
            }
        case .ownerKey(let table, let column, let order):
            let columns = [column] + [order].compactMap(\.self)
            add(
                "UPDATE \(schema.path(table)) t SET "
                    + columns.map { "\(q($0)) = NULL" }.joined(separator: ", ")
                    + " FROM unnest($1::int8[], $2::int8[]) AS n(a, b) "
                    + "WHERE t.\"Z_PK\" = n.b AND t.\(q(column)) = n.a",
                owners.parameter,
                members.parameter
            )
        // The members' own rows say it.
        case .foreignKey: break
        }
    }

    private mutating func addMembers(
        _ place: DeclaredSlot,
        _ changes: [StoreChangeSet.ToManyChange]
    ) {
        let (owners, members) = pairs(changes, \.added)
        guard owners.count > 0, let access = store.toManyAccess[place] else { return }
        switch access {
        case .join(let table, let own, let other, _, let isReflexive):
            for (first, second) in isReflexive ? [(own, other), (other, own)] : [(own, other)] {
                // The inverse may have written the same row in this save already.
                add(
                    "INSERT INTO \(schema.path(table)) (\(q(first)), \(q(second))) "
                        + "SELECT * FROM unnest($1::int8[], $2::int8[]) ON CONFLICT DO NOTHING",
                    owners.parameter,
                    members.parameter
                )
            }
        case .ownerKey(let table, let column, _):
            add(
                "UPDATE \(schema.path(table)) t SET \(q(column)) = n.a "
                    + "FROM unnest($1::int8[], $2::int8[]) AS n(a, b) WHERE t.\"Z_PK\" = n.b",
                owners.parameter,
                members.parameter
            )
        case .foreignKey: break
        }
    }

    /// The places as the replica has given them.
    private mutating func order(
        _ place: DeclaredSlot,
        _ changes: [StoreChangeSet.ToManyChange]
    ) throws {
        let owners = changes.filter { $0.order != nil }.map(\.owner.primaryKey).sorted()
        guard !owners.isEmpty, let access = store.toManyAccess[place] else { return }
        switch access {
        case .foreignKey(let table, let column, let order?),
            .ownerKey(let table, let column, let order?):
            let arrays = try images.integers(
                ["Z_PK", order],
                of: table,
                where: column,
                isIn: owners
            )
            add(
                "UPDATE \(schema.path(table)) t SET \(q(order)) = n.p "
                    + "FROM unnest($1::int8[], $2::int8[]) AS n(k, p) WHERE t.\"Z_PK\" = n.k",
                arrays.map(\.parameter)
            )
        case .join(let table, let own, let other, let order?, _):
            let arrays = try images.integers(
                [own, other, order],
                of: table,
                where: own,
                isIn: owners
            )
            add(
                "UPDATE \(schema.path(table)) t SET \(q(order)) = n.p "
                    + "FROM unnest($1::int8[], $2::int8[], $3::int8[]) AS n(a, b, p) "
                    + "WHERE t.\(q(own)) = n.a AND t.\(q(other)) = n.b",
                arrays.map(\.parameter)
            )
        default: return
        }
    }

    private func pairs(
        _ changes: [StoreChangeSet.ToManyChange],
        _ members: KeyPath<StoreChangeSet.ToManyChange, [RowReference]>
    ) -> (owners: PostgreSQLArray, members: PostgreSQLArray) {
        var owners = PostgreSQLArray(.integer), others = PostgreSQLArray(.integer)
        for change in changes {
            for member in change[keyPath: members] {
                owners.append(change.owner.primaryKey)
                others.append(member.primaryKey)
            }
        }
        return (owners, others)
    }
}
#endif
