import Foundation

extension StoreSchema {
    /// The triggers that keep counts of to-many relationships (`pages.@count`), as Apple's
    /// framework writes them.
    ///
    /// Other derivations have a column, and no trigger: what Apple's stores have for them is not
    /// known.
    func derivationTriggers() -> [String] {
        members.flatMap { entity in
            entity.slots.filter { $0.declaringEntityIndex == entity.index }
                .compactMap { countDerivation(entity, $0) }
                .flatMap { $0.triggers }
        }
    }

    /// A count of the rows whose key column leads to the owner.
    private struct CountDerivation {
        let entity: String
        let attribute: String
        let ownerTable: String
        let memberTable: String
        /// The key of the owner in the members' table.
        let key: String
        /// The derived value in the owner's table.
        let column: String

        var triggers: [String] {
            let members = "Z_DA_\(memberTable)_\(entity)_\(attribute)_PARAMETER"
            return [
                onMembers("\(members)_INSERT", "INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
                onMembers("\(members)_UPDATE_INCREMENT", update, "NEW", "\(column) + 1"),
                onMembers("\(members)_UPDATE_DECREMENT", update, "OLD", "\(column) - 1"),
                onMembers("\(members)_DELETE", "DELETE", "OLD", "\(column) - 1"),
                "CREATE TRIGGER Z_DA_\(ownerTable)_\(entity)_\(attribute)_SOURCE_INSERT "
                    + "AFTER INSERT ON \(ownerTable) FOR EACH ROW BEGIN UPDATE \(ownerTable) "
                    + "SET \(column) = (SELECT IFNULL(COUNT(\(key)), 0) FROM \(memberTable) "
                    + "WHERE \(key) = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; "
                    + report("InsertUpdated", "NEW.Z_PK"),
            ]
        }

        private var update: String { "UPDATE OF \(key)" }

        private func onMembers(
            _ name: String,
            _ event: String,
            _ row: String,
            _ value: String
        ) -> String {
            "CREATE TRIGGER \(name) AFTER \(event) ON \(memberTable) FOR EACH ROW "
                + "WHEN (\(row).\(key) NOT NULL) BEGIN UPDATE \(ownerTable) SET \(column) = \(value) "
                + "WHERE Z_PK = \(row).\(key); " + report("Updated", "\(row).\(key)")
        }

        private func report(_ kind: String, _ owner: String) -> String {
            "SELECT NSCoreDataDATrigger\(kind)AffectedObjectValue('\(ownerTable)', Z_ENT, Z_PK, "
                + "'\(attribute)', \(column)) FROM \(ownerTable) WHERE Z_PK = \(owner); END"
        }
    }

    /// Nil for what is no derived count of a one-to-many relationship, and for names that would
    /// need quotes.
    private func countDerivation(_ entity: EntityLayout, _ slot: PropertySlot) -> CountDerivation? {
        guard let attribute = slot.property as? NSDerivedAttributeDescription,
            let path = attribute.derivedKeyPath, path.hasSuffix(".@count"),
            let relationship = entity.slot(named: String(path.dropLast(".@count".count))),
            case .foreignKey(let memberTable, let key, _)? = access(relationship),
            let column = columns(entity, slot.index).value,
            let ownerTable = entityTable(rootIndex: entity.rootIndex)?.name
        else { return nil }
        let names = [entity.name, slot.name, ownerTable, memberTable, key, column]
        guard names.allSatisfy({ SQLName.plain($0) == $0 }) else { return nil }
        return CountDerivation(
            entity: entity.name,
            attribute: slot.name,
            ownerTable: ownerTable,
            memberTable: memberTable,
            key: key,
            column: column
        )
    }
}

extension NSDerivedAttributeDescription {
    /// The key path that the value is derived by, if it is one.
    fileprivate var derivedKeyPath: String? {
        guard case .keyPath(nil, let path)? = derivationExpression?.node else { return nil }
        return path
    }
}
