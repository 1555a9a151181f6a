import CoreData

/// Workloads c, d, e, h and i.
extension LayerQuery {
    static func all(_ fixture: LayerFixture) throws -> [LayerQuery] {
        let stores = try LayerQueryStores(fixture)
        return [
            fetchAll(stores), byKey(fixture, stores), registered(fixture, stores),
            filterAndSort(stores), counts(stores), toMany(stores),
        ]
    }

    private static func fetchAll(_ stores: LayerQueryStores) -> LayerQuery {
        LayerQuery("c", "fetch all, read every value", target: 1.7, stores: stores) {
            database,
            sum in
            let rows = try database.prepare("SELECT \(ItemTable.columns) FROM ZITEM")
            // All rows come before the first value is read, as the layer has all objects by then.
            var records: [ItemRecord] = []
            while try rows.step() { records.append(ItemRecord(rows)) }
            for record in records { record.add(to: &sum) }
        } layer: { context, side, sum in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            for object in try context.fetch(request) { side.access.addItem(object, to: &sum) }
        }
    }

    private static func readSample(
        _ fixture: LayerFixture,
        _ database: SQLiteDatabase,
        _ sum: inout ValueSum
    ) throws {
        // Items were inserted in the order of their numbers into an empty table.
        let row = try database.prepare("SELECT \(ItemTable.columns) FROM ZITEM WHERE Z_PK = ?")
        // One transaction around all reads, or each would begin and end one of its own.
        try database.execute("BEGIN")
        for number in fixture.sample {
            row.bind(1, Int64(number))
            if try row.step() { ItemRecord(row).add(to: &sum) }
            row.reset()
        }
        try database.execute("COMMIT")
    }

    private static func byKey(
        _ fixture: LayerFixture,
        _ stores: LayerQueryStores
    ) -> LayerQuery {
        return LayerQuery("d", "10,000 objects by ID", target: 1.7, stores: stores) {
            try readSample(fixture, $0, &$1)
        } layer: { context, side, sum in
            for id in side.sampleIDs {
                side.access.addItem(try context.existingObject(with: id), to: &sum)
            }
        }
    }

    private static func registered(
        _ fixture: LayerFixture,
        _ stores: LayerQueryStores
    ) -> LayerQuery {
        return LayerQuery("d2", "the same once more", target: 0.2, stores: stores) {
            try readSample(fixture, $0, &$1)
        } prepare: { context, side in
            try side.sampleIDs.map { id in
                let object = try context.existingObject(with: id)
                _ = side.access.number(object)
                return object
            }
        } layer: { context, side, sum in
            for id in side.sampleIDs { side.access.addItem(context.object(with: id), to: &sum) }
        }
    }

    private static func filterAndSort(_ stores: LayerQueryStores) -> LayerQuery {
        LayerQuery(
            "e",
            "20 filters with order, 1,000 rows each",
            target: 1.4,
            stores: stores
        ) { database, sum in
            let rows = try database.prepare(
                "SELECT \(ItemTable.columns) FROM ZITEM WHERE ZCATEGORY = ? ORDER BY ZDATE LIMIT 1000"
            )
            for query in 0..<20 {
                rows.bind(1, Int64(query * 2))
                var records: [ItemRecord] = []
                while try rows.step() { records.append(ItemRecord(rows)) }
                rows.reset()
                for record in records { record.add(to: &sum) }
            }
        } layer: { context, side, sum in
            for query in 0..<20 {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: "category == %d", query * 2)
                request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: true)]
                request.fetchLimit = 1_000
                for object in try context.fetch(request) { side.access.addItem(object, to: &sum) }
            }
        }
    }

    private static func counts(_ stores: LayerQueryStores) -> LayerQuery {
        LayerQuery("h", "20 counts over all rows", target: 1, stores: stores) { database, sum in
            let count = try database.prepare(
                "SELECT COUNT(*) FROM ZITEM WHERE ZSCORE > ? AND ZRATIO < ?"
            )
            for query in 0..<20 {
                count.bind(1, Int64(query) * 40_000)
                count.bind(2, 0.75)
                if try count.step() { sum.add(count.integer(0)) }
                count.reset()
            }
        } layer: { context, side, sum in
            for query in 0..<20 {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(
                    format: "score > %d AND ratio < %f",
                    query * 40_000,
                    0.75
                )
                sum.add(Int64(try context.count(for: request)))
            }
        }
    }

    private static func toMany(_ stores: LayerQueryStores) -> LayerQuery {
        LayerQuery("i", "children of every parent, as sets", target: 3, stores: stores) {
            database,
            sum in
            let parents = try database.prepare("SELECT Z_PK, ZNAME FROM ZPARENT")
            // Both keys are read, as objects and their relationships need them.
            let children = try database.prepare(
                "SELECT Z_PK, ZPARENT, ZNUMBER, ZAMOUNT, ZTEXT FROM ZCHILD WHERE ZPARENT = ?"
            )
            while try parents.step() {
                sum.add(parents.text(1))
                children.bind(1, parents.integer(0))
                var records: [(Int64, Int64, Int64, Double, String)] = []
                while try children.step() {
                    records.append(
                        (
                            children.integer(0), children.integer(1), children.integer(2),
                            children.real(3), children.text(4)
                        )
                    )
                }
                children.reset()
                for record in records {
                    sum.add(record.2)
                    sum.add(record.3)
                    sum.add(record.4)
                }
            }
        } layer: { context, side, sum in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Parent")
            for parent in try context.fetch(request) {
                side.access.addFamily(parent, to: &sum)
            }
        }
    }
}
