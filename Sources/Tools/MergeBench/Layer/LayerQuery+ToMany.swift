import CoreData

/// Workload i.
extension LayerQuery {
    /// A child as bare SQLite reads it. Both keys are read, as objects and their relationships need
    /// them.
    private struct Child: Hashable {
        static let sql =
            "SELECT Z_PK, ZPARENT, ZNUMBER, ZAMOUNT, ZTEXT FROM ZCHILD WHERE ZPARENT = ?"
        let key: Int64
        let parent: Int64
        let number: Int64
        let amount: Double
        let text: String

        @inline(__always) init(_ row: SQLiteStatement) {
            key = row.integer(0)
            parent = row.integer(1)
            number = row.integer(2)
            amount = row.real(3)
            text = row.text(4)
        }

        @inline(__always) func add(to sum: inout ValueSum) {
            sum.add(number)
            sum.add(amount)
            sum.add(text)
        }

        // By their keys, as objects are members of sets by what they are and not by their values.
        static func == (one: Child, other: Child) -> Bool { one.key == other.key }
        func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    /// Of the parents a part has so many.
    private static let parentsToPart = 50

    static func toMany(_ stores: LayerQueryStores) -> LayerQuery {
        LayerQuery(
            "i",
            "children of every parent, as sets",
            target: 3,
            inequality: "bare SQLite reads all in one transaction, and keeps children in lists",
            stores: stores,
            fair: .init("bare SQLite with a transaction and a set for each parent") { database in
                try LayerTime.measureParts { try readSets(database, &$0) }
            }
        ) { database, parts in
            let parents = try database.prepare("SELECT Z_PK, ZNAME FROM ZPARENT")
            let children = try database.prepare(Child.sql)
            var place = 0
            while try parents.step() {
                parts.sum.add(parents.text(1))
                children.bind(1, parents.integer(0))
                var records: [Child] = []
                while try children.step() { records.append(Child(children)) }
                children.reset()
                for record in records { record.add(to: &parts.sum) }
                parts.end(behind: place, of: parentsToPart)
                place += 1
            }
        } layer: { context, side, parts in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Parent")
            for (place, parent) in try context.fetch(request).enumerated() {
                side.access.addFamily(parent, to: &parts.sum)
                parts.end(behind: place, of: parentsToPart)
            }
        }
    }

    private static func readSets(_ database: SQLiteDatabase, _ parts: inout LayerParts) throws {
        let rows = try database.prepare("SELECT Z_PK, ZNAME FROM ZPARENT")
        var parents: [(key: Int64, name: String)] = []
        // All before the first child is read: a statement under way keeps its transaction open.
        while try rows.step() { parents.append((rows.integer(0), rows.text(1))) }
        let children = try database.prepare(Child.sql)
        for (place, parent) in parents.enumerated() {
            parts.sum.add(parent.name)
            children.bind(1, parent.key)
            var records: Set<Child> = []
            while try children.step() { records.insert(Child(children)) }
            children.reset()
            for record in records { record.add(to: &parts.sum) }
            parts.end(behind: place, of: parentsToPart)
        }
    }
}
