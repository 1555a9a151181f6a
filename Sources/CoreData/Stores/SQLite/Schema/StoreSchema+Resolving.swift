import Foundation

extension StoreSchema {
    /// The same schema with the names of an existing store's tables and columns.
    ///
    /// Tables that were migrated have columns in another order, and some names that Apple's
    /// framework gives are known as patterns only. So columns are looked up, and nothing is
    /// compared with definitions.
    func resolved(in connection: SQLiteConnection, url: URL?) throws -> StoreSchema {
        var result = self
        guard try connection.hasTable("Z_PRIMARYKEY") else {
            throw CocoaError.incompatibleSchema(url, "the table Z_PRIMARYKEY is missing")
        }
        for index in tables.indices {
            let table = tables[index]
            let found = try connection.columnNames(of: table.name)
            let entity = model.entities[table.rootIndex].name
            guard !found.isEmpty else {
                throw CocoaError.incompatibleSchema(
                    url,
                    "the table \(table.name) of the entity \(entity) is missing"
                )
            }
            let columns = ExistingColumns(found)
            // Every statement for rows reads or writes these.
            for name in ["Z_PK", "Z_ENT", "Z_OPT"] where columns[name] == nil {
                throw CocoaError.incompatibleSchema(
                    url,
                    "the table \(table.name) of the entity \(entity) has no column \(name)"
                )
            }
            for column in table.columns.indices {
                let wanted = table.columns[column]
                // An element without a column is left out instead of refusing the store, since it
                // is not known how Apple's framework names them; `index()` makes nil of the empty
                // name.
                if case .element(let place, let element) = wanted.role {
                    result.tables[index].columns[column].name =
                        columns.findElement(wanted.name, elementName(place, element)) ?? ""
                    continue
                }
                // Refused now: a missing column would come up in the midst of the first save that
                // writes it.
                guard let name = columns.find(wanted) else {
                    throw CocoaError.incompatibleSchema(
                        url,
                        "the table \(table.name) of the entity \(entity) has no column "
                            + wanted.name
                    )
                }
                result.tables[index].columns[column].name = name
            }
        }
        for index in joinTables.indices {
            result.joinTables[index] = try resolved(joinTables[index], in: connection, url: url)
        }
        // The look-up tables still have the names of the plan.
        result.index()
        return result
    }

    private func elementName(_ place: DeclaredSlot, _ index: Int) -> String {
        let slot = model.entities[place.entity].slots[place.slot]
        return slot.composite?.elements[index].path.last ?? ""
    }

    /// Between two relationships of one entity either may own the table.
    private func resolved(
        _ join: JoinTable,
        in connection: SQLiteConnection,
        url: URL?
    ) throws -> JoinTable {
        let inverse = model.entities[join.inverse.entity].slots[join.inverse.slot]
        let candidates =
            [join.name, "Z_\(numbers[join.inverse.entity])\(inverse.name.uppercased())"]
        let others = try connection.tableNames(matching: "Z_[0-9]*").filter { name in
            candidates.contains { ExistingColumns.isSame(name, $0) } && !candidates.contains(name)
        }
        // Names that the plan knows go first: another number is a guess, which only a table with
        // both key columns confirms.
        for candidate in candidates + others {
            let columns = ExistingColumns(try connection.columnNames(of: candidate))
            guard
                let (source, destination) = columns.findKeys(
                    join.sourceColumn,
                    join.destinationColumn
                )
            else { continue }
            var result = join
            result.name = candidate
            result.sourceColumn = source
            result.destinationColumn = destination
            result.destinationOrderColumn = try order(join.destinationOrderColumn, columns)
            result.sourceOrderColumn = try order(join.sourceOrderColumn, columns)
            return result
        }
        let owner = model.entities[join.owner.entity]
        throw CocoaError.incompatibleSchema(
            url,
            "the table \(join.name) of the relationship "
                + "\(owner.name).\(owner.slots[join.owner.slot].name) is missing or has other columns"
        )

        func order(_ name: String?, _ columns: ExistingColumns) throws -> String? {
            guard let name else { return nil }
            guard let found = columns.findKey(name) ?? columns.findRenumbered(name) else {
                throw CocoaError.incompatibleSchema(
                    url,
                    "the table \(join.name) of an ordered relationship has no column \(name)"
                )
            }
            return found
        }
    }
}

/// The columns of a table that exists. SQLite compares names without regard to case.
private struct ExistingColumns {
    private let byUppercasedName: [String: String]

    init(_ names: [String]) {
        byUppercasedName = Dictionary(
            names.map { ($0.uppercased(), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    subscript(name: String) -> String? { byUppercasedName[name.uppercased()] }

    /// The column that plays the role of `wanted`.
    func find(_ wanted: EntityColumn) -> String? {
        if let name = self[wanted.name] { return name }
        switch wanted.role {
        case .value, .element: return nil
        case .order, .ownerOrder: return findKey(wanted.name)
        // The number in these names is known for destinations that are roots only.
        case .destinationEntity:
            guard let mark = wanted.name.firstIndex(of: "_") else { return nil }
            return numbered(wanted.name[mark...])
        case .owner: return numbered(wanted.name.dropFirst().drop(while: \.isNumber))
        }
    }

    /// The column of a composite's element: how Apple's framework names it is not known, but it
    /// ends with the element's name.
    func findElement(_ wanted: String, _ element: String) -> String? {
        if let name = self[wanted] { return name }
        let start = wanted.uppercased().prefix(wanted.count - element.count)
        let ending = element.uppercased()
        let matches = byUppercasedName.filter { name, _ in
            name.hasSuffix(ending) && name.hasPrefix(start.drop { $0 == "_" }.dropLast())
        }
        return matches.count == 1 ? matches.first?.value : self["Z" + ending]
    }

    /// The column of a join table or of an order: by its name, or by its name with another entity
    /// number, if there is exactly one such column.
    func findKey(_ wanted: String) -> String? {
        if let name = self[wanted] { return name }
        let matches = byUppercasedName.filter { Self.isSame($0.key, wanted.uppercased()) }
        return matches.count == 1 ? matches.first?.value : nil
    }

    /// The two keys of a join table. Each by its name; where Apple's framework has numbered names
    /// that several relationships share otherwise than expected, by what is before that number.
    func findKeys(_ first: String, _ second: String) -> (String, String)? {
        // The sure name of one column excludes it from the guesses about the other.
        var found = (findKey(first), findKey(second))
        if found.0 == nil { found.0 = findRenumbered(first, otherThan: found.1) }
        if found.1 == nil { found.1 = findRenumbered(second, otherThan: found.0) }
        guard let first = found.0, let second = found.1, first != second else { return nil }
        return (first, second)
    }

    /// The column whose name differs in numbers only, at its end too, if there is exactly one.
    func findRenumbered(_ wanted: String, otherThan taken: String? = nil) -> String? {
        func base(_ name: String) -> String {
            String(name.uppercased().reversed().drop(while: \.isNumber).reversed())
        }
        let matches = byUppercasedName.filter { name, column in
            column != taken
                && (base(name) == base(wanted) || Self.isSame(base(name), base(wanted)))
        }
        return matches.count == 1 ? matches.first?.value : nil
    }

    /// Whether two names differ in the number of an entity only: `Z_6USERS`, `Z_FOK_6USERS`.
    static func isSame(_ left: String, _ right: String) -> Bool {
        func parts(_ name: String) -> (Substring, Substring)? {
            let head = name.prefix { !$0.isNumber }
            let tail = name.dropFirst(head.count)
            let digits = tail.prefix(while: \.isNumber)
            return digits.isEmpty ? nil : (head, tail.dropFirst(digits.count))
        }
        guard let left = parts(left), let right = parts(right) else { return false }
        // Names of properties may hold digits too; only behind this prefix they are an entity's
        // number.
        return left == right && left.0.hasPrefix("Z_")
    }

    /// The column named `Z`, digits, and then `ending`, if there is exactly one.
    private func numbered(_ ending: Substring) -> String? {
        let matches = byUppercasedName.keys.filter { name in
            guard name.hasPrefix("Z"), name.hasSuffix(ending) else { return false }
            let digits = name.dropFirst().dropLast(ending.count)
            return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
        }
        return matches.count == 1 ? matches.first.flatMap { byUppercasedName[$0] } : nil
    }
}
