import Foundation

extension StoreWriter {
    /// Writes what the rows themselves do not say of to-many relationships.
    ///
    /// Both ends of a relationship may be among the changes, so what is there already is left
    /// alone, and places in ordered collections come last, when all members are there.
    func write(_ changes: [StoreChangeSet.ToManyChange]) throws {
        for change in changes {
            for member in change.removed { try remove(member, change) }
        }
        for change in changes {
            for member in change.added { try add(member, change) }
        }
        for change in changes {
            if let order = change.order { try write(order, change) }
        }
    }

    /// Removes a deleted row from join tables, and from the rows that it owned.
    func removeJoins(of reference: RowReference) throws {
        let layout = schema.model.entities[reference.entityIndex]
        for slot in layout.toManySlots {
            switch schema.access(layout.slots[slot]) {
            case .join(let table, let own, let other, _, let isReflexive):
                try run("DELETE FROM \(q(table)) WHERE \(q(own)) = ?", reference.primaryKey)
                if isReflexive {
                    try run("DELETE FROM \(q(table)) WHERE \(q(other)) = ?", reference.primaryKey)
                }
            case .ownerKey(let table, let column, let order):
                let orderPart = order.map { ", \(q($0)) = NULL" } ?? ""
                try run(
                    "UPDATE \(q(table)) SET \(q(column)) = NULL\(orderPart) WHERE \(q(column)) = ?",
                    reference.primaryKey
                )
            // The members' own rows say it, and delete rules have changed these in the same save.
            case .foreignKey, nil: break
            }
        }
    }

    private func remove(
        _ member: RowReference,
        _ change: StoreChangeSet.ToManyChange
    ) throws {
        let owner = change.owner.primaryKey, key = member.primaryKey
        switch try access(change) {
        case .join(let table, let own, let other, _, let isReflexive):
            let sql = "DELETE FROM \(q(table)) WHERE \(q(own)) = ? AND \(q(other)) = ?"
            try run(sql, owner, key)
            if isReflexive { try run(sql, key, owner) }
        case .ownerKey(let table, let column, let order):
            let orderPart = order.map { ", \(q($0)) = NULL" } ?? ""
            try run(
                "UPDATE \(q(table)) SET \(q(column)) = NULL\(orderPart) "
                    + "WHERE Z_PK = ? AND \(q(column)) = ?",
                key,
                owner
            )
        // The member's row says it, and is among the updates or deletes of the save.
        case .foreignKey: break
        }
    }

    private func add(_ member: RowReference, _ change: StoreChangeSet.ToManyChange) throws {
        let owner = change.owner.primaryKey, key = member.primaryKey
        switch try access(change) {
        case .join(let table, let own, let other, _, let isReflexive):
            // The inverse may have written the same row in this save already.
            let sql = "INSERT OR IGNORE INTO \(q(table)) (\(q(own)), \(q(other))) VALUES (?, ?)"
            try run(sql, owner, key)
            // A relationship that is its own inverse has a row for each direction.
            if isReflexive { try run(sql, key, owner) }
        case .ownerKey(let table, let column, _):
            try run("UPDATE \(q(table)) SET \(q(column)) = ? WHERE Z_PK = ?", owner, key)
        // The member's row says it, and is among the updates or inserts of the save.
        case .foreignKey: break
        }
    }

    // MARK: Order

    private func write(_ order: [RowReference], _ change: StoreChangeSet.ToManyChange) throws {
        let table: String, own: String, member: String, column: String
        switch try access(change) {
        case .foreignKey(let name, let key, let order?), .ownerKey(let name, let key, let order?):
            (table, own, member, column) = (name, key, "Z_PK", order)
        case .join(let name, let ownColumn, let other, let order?, _):
            (table, own, member, column) = (name, ownColumn, other, order)
        default: return
        }
        // Places are read here and kept by no context: others may have moved members since it read
        // them.
        let read = try connection.statement(
            "SELECT \(q(member)), \(q(column)) FROM \(q(table)) WHERE \(q(own)) = ?"
        )
        var places: [Int64: Int64] = [:]
        do {
            // Ended before its rows are written: what a query sees of changes that its own
            // connection makes meanwhile is undefined (sqlite.org/isolation.html).
            defer { read.reset() }
            read.bind(1, change.owner.primaryKey)
            while try read.step() {
                if !read.isNull(1) { places[read.integer(0)] = read.integer(1) }
            }
        }
        let keys = order.map(\.primaryKey)
        let new = OrderPlaces.assign(keys.map { places[$0] })
        let update = try connection.statement(
            "UPDATE \(q(table)) SET \(q(column)) = ? WHERE \(q(member)) = ? AND \(q(own)) = ?"
        )
        // Only members that have another place are written.
        for (key, place) in zip(keys, new) where places[key] != place {
            update.bind(1, place)
            update.bind(2, key)
            update.bind(3, change.owner.primaryKey)
            try update.run()
        }
    }

    // MARK: Statements

    private func access(_ change: StoreChangeSet.ToManyChange) throws -> ToManyAccess {
        let layout = schema.model.entities[change.owner.entityIndex]
        guard let access = schema.access(layout.slots[change.slot]) else {
            throw CocoaError.storeSave(
                file.url,
                "the relationship \(layout.name).\(layout.slots[change.slot].name) leads out of the "
                    + "store's configuration"
            )
        }
        return access
    }

    private func run(_ sql: String, _ values: Int64...) throws {
        let statement = try connection.statement(sql)
        for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value) }
        try statement.run()
    }

    private func q(_ name: String) -> String { SQLName.quoted(name) }
}

/// The numbers by which ordered collections are sorted: sparse, so that a member can take a place
/// between two others without a change to those.
enum OrderPlaces {
    static let first: Int64 = 2048
    static let step: Int64 = 1024

    /// New places for members in order, given those that they have.
    ///
    /// Places that still ascend are kept; if there is no room between two of them, all are
    /// numbered anew.
    static func assign(_ old: [Int64?]) -> [Int64] {
        let kept = longestAscending(old)
        var result = [Int64](repeating: 0, count: old.count)
        var low: Int64?
        var index = 0
        while index < old.count {
            if kept[index], let place = old[index] {
                result[index] = place
                low = place
                index += 1
                continue
            }
            var end = index
            while end < old.count, !kept[end] { end += 1 }
            let count = Int64(end - index)
            if end < old.count, let high = old[end] {
                // Below the first place there is room down to 0, which `longestAscending` takes for
                // no place.
                let base = low ?? 0
                let gap = (high - base) / (count + 1)
                guard gap >= 1 else { return fresh(old.count) }
                for place in 1...count { result[index + Int(place) - 1] = base + gap * place }
            } else {
                // At the end there is no upper bound to stay below, so that appending never needs
                // new numbers.
                var next = low.map { $0 + step } ?? first
                for place in index..<end {
                    result[place] = next
                    next += step
                }
            }
            index = end
        }
        return result
    }

    private static func fresh(_ count: Int) -> [Int64] {
        (0..<count).map { first + step * Int64($0) }
    }

    /// Marks a longest run of members whose places ascend, so that the fewest are rewritten.
    private static func longestAscending(_ old: [Int64?]) -> [Bool] {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: old.count)
        for (index, place) in old.enumerated() {
            // Files of others may have any number here; the bounds keep the sums below from
            // overflowing.
            guard let place, place > 0, place < 1 << 40 else { continue }
            var low = 0, high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if let other = old[tails[middle]], other < place {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            previous[index] = low > 0 ? tails[low - 1] : -1
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var kept = [Bool](repeating: false, count: old.count)
        var index = tails.last ?? -1
        while index >= 0 {
            kept[index] = true
            index = previous[index]
        }
        return kept
    }
}
