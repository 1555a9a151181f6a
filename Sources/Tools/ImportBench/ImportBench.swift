import CoreData
import Foundation
import MergeBench
import MergeExchange
import MergeStack

/// The import of the airports beside a bare SQLite program that inserts the same rows.
struct ImportBench {
    let world: URL

    private struct Sample {
        var seconds: Double
        /// The longest time that the main queue was busy without a break.
        var longestStall = 0.0
    }

    func run(rounds: Int) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("import-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { remove(folder) }
        var bare: [Sample] = []
        var imported: [Sample] = []
        for round in 0..<rounds {
            let store = folder.appendingPathComponent("import-\(round).sqlite")
            imported.append(try importAirports(into: store))
            let twin = folder.appendingPathComponent("bare-\(round).sqlite")
            bare.append(try insertRows(of: store, into: twin))
        }
        report(bare, imported)
    }

    private func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("could not remove \(folder.path): \(error)")
        }
    }

    // MARK: The import

    private func importAirports(into store: URL) throws -> Sample {
        let model = try NSManagedObjectModel(
            readingFrom: world.appendingPathComponent("World.xcdatamodeld")
        )
        let stack = try NotificationMergeStack(
            model: model,
            stores: [NSPersistentStoreDescription(url: store)]
        )
        for (file, entity) in [("continents.json", "Continent"), ("countries.json", "Country")] {
            _ = try Importer(stack: stack).importFileAndWait(
                at: world.appendingPathComponent(file),
                entityName: entity
            )
        }
        // What main still has to merge of the countries would count as the airports'.
        stack.merger.waitUntilSettled()
        let monitor = MainQueueMonitor()
        monitor.start()
        let start = DispatchTime.now().uptimeNanoseconds
        let result = try Importer(stack: stack).importFileAndWait(
            at: world.appendingPathComponent("airports.csv"),
            entityName: "Airport"
        )
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        stack.merger.waitUntilSettled()
        let queue = monitor.stop()
        guard result.createdCount == 28_298 else {
            fatalError("\(result.createdCount) airports were created, not 28,298.")
        }
        // It resets the main context, which only the main queue may.
        try DispatchQueue.main.sync { try stack.tearDown() }
        return Sample(seconds: seconds, longestStall: queue.longestSeconds)
    }

    // MARK: Bare SQLite

    private func insertRows(of store: URL, into twin: URL) throws -> Sample {
        let source = try SQLiteDatabase(store)
        let rows = try Airport.all(in: source)
        let target = try SQLiteDatabase(twin)
        for definition in try Airport.definitions(in: source) { try target.execute(definition) }
        let start = DispatchTime.now().uptimeNanoseconds
        let insert = try target.prepare(Airport.insertSQL)
        var next = 0
        while next < rows.count {
            try target.transaction {
                for row in rows[next..<min(next + 1_000, rows.count)] { try row.run(insert) }
            }
            next += 1_000
        }
        return Sample(seconds: Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
    }

    // MARK: Printing

    private func report(_ bare: [Sample], _ imported: [Sample]) {
        let bareMedian = median(bare.map(\.seconds))
        let importMedian = median(imported.map(\.seconds))
        print(
            "28,298 airports, one worker, batches of 1,000, synchronous=FULL; medians of \(bare.count)"
        )
        print(String(format: "bare SQLite, parsed rows    %8.1f ms", bareMedian * 1_000))
        print(String(format: "import                      %8.1f ms", importMedian * 1_000))
        print(
            String(
                format: "ratio                       %8.2f      (target: at most 6)",
                importMedian / bareMedian
            )
        )
        print(
            String(
                format:
                    "main queue busy, longest    %8.2f ms   (worst round %.2f; target: at most 16.67)",
                median(imported.map(\.longestStall)) * 1_000,
                (imported.map(\.longestStall).max() ?? 0) * 1_000
            )
        )
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

/// A row of the airports' table, parsed.
private struct Airport {
    var key: Int64
    var country: Int64
    var reals: [3 of Double]
    var texts: [7 of String]

    static let insertSQL =
        "INSERT INTO ZAIRPORT (Z_PK, Z_ENT, Z_OPT, ZCOUNTRY, ZELEVATION, ZLATITUDE, ZLONGITUDE, "
        + "ZCITY, ZIATA, ZICAO, ZLID, ZNAME, ZSUBDIVISION, ZTIMEZONE) "
        + "VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

    /// The definitions of the table and its indexes.
    static func definitions(in database: SQLiteDatabase) throws -> [String] {
        let statement = try database.prepare(
            "SELECT sql FROM sqlite_master WHERE tbl_name = 'ZAIRPORT' AND sql NOT NULL ORDER BY rowid"
        )
        var result: [String] = []
        while try statement.step() { result.append(statement.text(0)) }
        return result
    }

    static func all(in database: SQLiteDatabase) throws -> [Airport] {
        let statement = try database.prepare(
            "SELECT Z_PK, ZCOUNTRY, ZELEVATION, ZLATITUDE, ZLONGITUDE, ZCITY, ZIATA, ZICAO, ZLID, "
                + "ZNAME, ZSUBDIVISION, ZTIMEZONE FROM ZAIRPORT ORDER BY Z_PK"
        )
        var result: [Airport] = []
        while try statement.step() {
            result.append(
                Airport(
                    key: statement.integer(0),
                    country: statement.integer(1),
                    reals: [statement.real(2), statement.real(3), statement.real(4)],
                    texts: [
                        statement.text(5), statement.text(6), statement.text(7), statement.text(8),
                        statement.text(9), statement.text(10), statement.text(11),
                    ]
                )
            )
        }
        return result
    }

    func run(_ statement: SQLiteStatement) throws {
        statement.bind(1, key)
        statement.bind(2, country)
        for index in 0..<3 { statement.bind(Int32(3 + index), reals[index]) }
        for index in 0..<7 {
            statement.bind(Int32(6 + index), texts[index].isEmpty ? nil : texts[index])
        }
        try statement.run()
    }
}
