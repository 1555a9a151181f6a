import CoreData

/// Workloads c, d, d2, e, h and i.
extension LayerQuery {
    static func all(_ fixture: LayerFixture) throws -> [LayerQuery] {
        let stores = try LayerQueryStores(fixture)
        return [
            fetchAll(stores), byKey(fixture, stores), registered(fixture, stores),
            filterAndSort(stores), counts(stores), toMany(stores),
        ]
    }

    private static func fetchAll(_ stores: LayerQueryStores) -> LayerQuery {
        LayerQuery(
            "c",
            "fetch all, read every value",
            target: 1.7,
            keyedTarget: 4,
            stores: stores
        ) { database, parts in
            let rows = try database.prepare("SELECT \(ItemTable.columns) FROM ZITEM")
            // All rows come before the first value is read, as the layer has all objects by then.
            var records: [ItemRecord] = []
            while try rows.step() { records.append(ItemRecord(rows)) }
            for record in records { record.add(to: &parts.sum) }
        } layer: { context, side, parts in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            for object in try context.fetch(request) { side.access.addItem(object, to: &parts.sum) }
        }
    }

    /// Of the sample's look-ups a part has so many.
    private static let lookUpsToPart = 500

    private static func readSample(
        _ fixture: LayerFixture,
        _ database: SQLiteDatabase,
        isOneTransaction: Bool = true,
        _ parts: inout LayerParts,
        _ use: (Int, ItemRecord, inout LayerParts) -> Void
    ) throws {
        // Items were inserted in the order of their numbers into an empty table.
        let row = try database.prepare("SELECT \(ItemTable.columns) FROM ZITEM WHERE Z_PK = ?")
        // One transaction around all reads, or each begins and ends one of its own.
        if isOneTransaction { try database.execute("BEGIN") }
        for (place, number) in fixture.sample.enumerated() {
            row.bind(1, Int64(number))
            if try row.step() { use(number, ItemRecord(row), &parts) }
            row.reset()
            parts.end(behind: place, of: lookUpsToPart)
        }
        if isOneTransaction { try database.execute("COMMIT") }
    }

    private static func byKey(
        _ fixture: LayerFixture,
        _ stores: LayerQueryStores
    ) -> LayerQuery {
        let fair = LayerQuery.Fair("bare SQLite with a transaction for each row") { database in
            try LayerTime.measureParts { parts in
                try readSample(fixture, database, isOneTransaction: false, &parts) {
                    $1.add(to: &$2.sum)
                }
            }
        }
        return LayerQuery(
            "d",
            "10,000 objects by ID",
            target: 1.7,
            inequality: "bare SQLite reads all in one transaction, the layer looks each row up",
            stores: stores,
            fair: fair
        ) { database, parts in
            try readSample(fixture, database, &parts) { $1.add(to: &$2.sum) }
        } layer: { context, side, parts in
            for (place, id) in side.sampleIDs.enumerated() {
                side.access.addItem(try context.existingObject(with: id), to: &parts.sum)
                parts.end(behind: place, of: lookUpsToPart)
            }
        }
    }

    private static func registered(
        _ fixture: LayerFixture,
        _ stores: LayerQueryStores
    ) -> LayerQuery {
        let fair = LayerQuery.Fair("bare SQLite's rows kept in a dictionary") { database in
            var records: [Int: ItemRecord] = [:]
            var untimed = LayerParts()
            try readSample(fixture, database, &untimed) { number, record, _ in
                records[number] = record
            }
            return LayerTime.measureParts { parts in
                for (place, number) in fixture.sample.enumerated() {
                    records[number]?.add(to: &parts.sum)
                    parts.end(behind: place, of: lookUpsToPart)
                }
            }
        }
        return LayerQuery(
            "d2",
            "the same once more",
            target: 0.2,
            inequality: "bare SQLite keeps no rows and reads them again",
            stores: stores,
            fair: fair
        ) { database, parts in
            try readSample(fixture, database, &parts) { $1.add(to: &$2.sum) }
        } prepare: { context, side in
            try side.sampleIDs.map { id in
                let object = try context.existingObject(with: id)
                _ = side.access.number(object)
                return object
            }
        } layer: { context, side, parts in
            for (place, id) in side.sampleIDs.enumerated() {
                side.access.addItem(context.object(with: id), to: &parts.sum)
                parts.end(behind: place, of: lookUpsToPart)
            }
        }
    }

    private static let parsing =
        "the layer parses a predicate for each query, bare SQLite binds values to one statement"
    private static let compiling = "bare SQLite compiles each statement"

    private static func filterAndSort(_ stores: LayerQueryStores) -> LayerQuery {
        func filter(_ rows: SQLiteStatement, _ query: Int, _ parts: inout LayerParts) throws {
            rows.bind(1, Int64(query * 2))
            var records: [ItemRecord] = []
            while try rows.step() { records.append(ItemRecord(rows)) }
            rows.reset()
            for record in records { record.add(to: &parts.sum) }
            parts.end()
        }
        let sql =
            "SELECT \(ItemTable.columns) FROM ZITEM WHERE ZCATEGORY = ? ORDER BY ZDATE LIMIT 1000"
        return LayerQuery(
            "e",
            "20 filters with order, 1,000 rows each",
            target: 1.4,
            inequality: parsing,
            stores: stores,
            fair: .init(compiling) { database in
                try LayerTime.measureParts { parts in
                    for query in 0..<20 { try filter(try database.prepare(sql), query, &parts) }
                }
            }
        ) { database, parts in
            let rows = try database.prepare(sql)
            for query in 0..<20 { try filter(rows, query, &parts) }
        } layer: { context, side, parts in
            for query in 0..<20 {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: "category == %d", query * 2)
                request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: true)]
                request.fetchLimit = 1_000
                for object in try context.fetch(request) {
                    side.access.addItem(object, to: &parts.sum)
                }
                parts.end()
            }
        }
    }

    private static func counts(_ stores: LayerQueryStores) -> LayerQuery {
        func count(_ rows: SQLiteStatement, _ query: Int, _ parts: inout LayerParts) throws {
            rows.bind(1, Int64(query) * 40_000)
            rows.bind(2, 0.75)
            if try rows.step() { parts.sum.add(rows.integer(0)) }
            rows.reset()
            parts.end()
        }
        let sql = "SELECT COUNT(*) FROM ZITEM WHERE ZSCORE > ? AND ZRATIO < ?"
        return LayerQuery(
            "h",
            "20 counts over all rows",
            target: 1,
            inequality: parsing,
            stores: stores,
            fair: .init(compiling) { database in
                try LayerTime.measureParts { parts in
                    for query in 0..<20 { try count(try database.prepare(sql), query, &parts) }
                }
            }
        ) { database, parts in
            let rows = try database.prepare(sql)
            for query in 0..<20 { try count(rows, query, &parts) }
        } layer: { context, side, parts in
            for query in 0..<20 {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(
                    format: "score > %d AND ratio < %f",
                    query * 40_000,
                    0.75
                )
                parts.sum.add(Int64(try context.count(for: request)))
                parts.end()
            }
        }
    }
}
