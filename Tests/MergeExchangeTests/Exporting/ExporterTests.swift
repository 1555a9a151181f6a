import CoreData
import Foundation
import MergeStack
import StackSupport
import TestSupport
import Testing
import Threads

@testable import MergeExchange

/// Files of rows.
@Suite struct ExporterTests {
    private func makePeople(_ folder: ItemFolder) throws -> SingleContextStack {
        try SingleContextStack(
            model: ImportStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
    }

    /// Two people, one with a value of each type that is hard to write, one with none.
    private func fill(_ stack: SingleContextStack) async throws {
        try await stack.performBackground { context in
            let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
            city.setValue("Zürich, \"ZH\"", forKey: "cityID")
            city.setValue(-3, forKey: "size")
            let ann = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            let bob = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            ann.setValue(7, forKey: "code")
            ann.setValue("Ann\r\n\t\u{1}\\ \u{1F469}\u{200D}\u{1F680}", forKey: "name")
            ann.setValue(true, forKey: "isMember")
            ann.setValue(Date(timeIntervalSince1970: 946_598_400), forKey: "born")
            ann.setValue(Date(timeIntervalSince1970: 1_709_202_615.5), forKey: "seen")
            ann.setValue(0.1, forKey: "height")
            ann.setValue(NSDecimalNumber(string: "-12345678901234567.25"), forKey: "balance")
            ann.setValue(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), forKey: "token")
            ann.setValue(URL(string: "https://example.org/a?b=c,d"), forKey: "page")
            ann.setValue(Data([1, 2, 3]), forKey: "key")
            ann.setValue(city, forKey: "home")
            ann.setValue(NSSet(array: [ann, bob]), forKey: "friends")
            bob.setValue(8, forKey: "code")
            bob.setValue("Bob", forKey: "name")
        }
    }

    private let header =
        "code,balance,born,height,isMember,key,full.name,page,seen,token,friendCodes,home"

    @Test func aFileWithColumns() async throws {
        let folder = try ItemFolder()
        let stack = try makePeople(folder)
        try await fill(stack)
        let url = folder.url.appendingPathComponent("people.csv")
        let result = try await Exporter(stack: stack).exportFile(to: url, entityName: "Person")
        let text = try String(contentsOf: url, encoding: .utf8)
        let expected = [
            header,
            "7,-12345678901234567.25,31.12.1999,0.1,true,AQID,"
                + "\"Ann\r\n\t\u{1}\\ \u{1F469}\u{200D}\u{1F680}\","
                + "\"https://example.org/a?b=c,d\",2024-02-29T10:30:15.5Z,"
                + "6BA7B810-9DAD-11D1-80B4-00C04FD430C8,7;8,\"Zürich, \"\"ZH\"\"\"",
            "8,,,,,,Bob,,,,7,",
        ]
        #expect(Array(text.utf8) == Array((expected.joined(separator: "\r\n") + "\r\n").utf8))
        #expect(result.rowCount == 2 && result.byteCount == text.utf8.count)
        #expect(result.leftOut == [])
        let cities = try await Exporter(stack: stack).exportFile(
            to: folder.url.appendingPathComponent("cities.tsv"),
            entityName: "City"
        )
        #expect(cities.leftOut == ["people"])
        try await MainActor.run { try stack.tearDown() }
    }

    /// Read with Foundation's parser.
    @Test(arguments: [ExportFormat.json, .jsonLines])
    func aFileOfObjects(_ format: ExportFormat) async throws {
        let folder = try ItemFolder()
        let stack = try makePeople(folder)
        let url = folder.url.appendingPathComponent("people")
        let exporter = Exporter(stack: stack)
        try await exporter.exportFile(to: url, entityName: "Person", format: format)
        #expect(try objects(url, format).isEmpty)
        try await fill(stack)
        try await exporter.exportFile(to: url, entityName: "Person", format: format)
        let objects = try objects(url, format)
        #expect(objects.count == 2)
        let ann = try #require(objects.first)
        #expect(ann["full.name"] as? String == "Ann\r\n\t\u{1}\\ \u{1F469}\u{200D}\u{1F680}")
        #expect(ann["code"] as? Int == 7)
        #expect(ann["isMember"] as? Bool == true)
        #expect(ann["friendCodes"] as? [Int] == [7, 8])
        #expect(ann["home"] as? String == "Zürich, \"ZH\"")
        #expect(objects.last?["home"] is NSNull)
        try await MainActor.run { try stack.tearDown() }
    }

    private func objects(_ url: URL, _ format: ExportFormat) throws -> [[String: Any]] {
        let data = try Data(contentsOf: url)
        guard format == .jsonLines else {
            return try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        }
        return try String(decoding: data, as: UTF8.self).split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: ExportFormat.allCases)
    func anImportMakesTheSameObjects(_ format: ExportFormat) async throws {
        let folder = try ItemFolder(), other = try ItemFolder()
        let stack = try makePeople(folder), copy = try makePeople(other)
        try await fill(stack)
        let url = folder.url.appendingPathComponent("people")
        try await Exporter(stack: stack).exportFile(to: url, entityName: "Person", format: format)
        let read: ImportFormat = format == .csv ? .csv : format == .tsv ? .tsv : .json
        let result = try await Importer(stack: copy).importFile(
            at: url,
            entityName: "Person",
            format: read
        )
        #expect(result.createdCount == 2 && result.failedCount == 0)
        #expect(result.unknownColumns == [])
        let sql = """
            SELECT ZCODE, ZNAME, ZISMEMBER, ZBORN, ZSEEN, ZHEIGHT, ZBALANCE, HEX(ZTOKEN), ZPAGE, \
            HEX(ZKEY), ZCITYID, (SELECT COUNT(*) FROM Z_2FRIENDS) \
            FROM ZPERSON LEFT JOIN ZCITY ON ZHOME = ZCITY.Z_PK ORDER BY ZCODE
            """
        if SQLiteShell.isThere {
            let rows = try SQLiteShell.rows(folder.storeURL, sql)
            #expect(try SQLiteShell.rows(other.storeURL, sql) == rows)
            #expect(!rows.isEmpty)
        }
        try await MainActor.run {
            try stack.tearDown()
            try copy.tearDown()
        }
    }

    @Test(arguments: ExportFormat.allCases)
    func rowsOfOneColumnWithoutAValueComeThrough(_ format: ExportFormat) async throws {
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [note]
        let folder = try ItemFolder(), other = try ItemFolder()
        let stack = try SingleContextStack(model: model, stores: [folder.description(.sqlite)])
        let copy = try SingleContextStack(model: model, stores: [other.description(.sqlite)])
        try await stack.performBackground { context in
            for value in ["a", nil, "", "b"] {
                NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                    .setValue(value, forKey: "text")
            }
        }
        let url = folder.url.appendingPathComponent("notes")
        try await Exporter(stack: stack).exportFile(to: url, entityName: "Note", format: format)
        if format == .csv {
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\r\n")
            #expect(lines.first == "text")
            #expect(lines.dropFirst().sorted() == ["\"\"", "\"\"", "a", "b"])
        }
        let read: ImportFormat = format == .csv ? .csv : format == .tsv ? .tsv : .json
        let result = try await Importer(stack: copy).importFile(
            at: url,
            entityName: "Note",
            format: read
        )
        #expect(result.createdCount == 4 && result.failedCount == 0)
        try await MainActor.run {
            try stack.tearDown()
            try copy.tearDown()
        }
    }

    /// A value that SQLite stores keep as the text `NaN`.
    @Test(arguments: ExportFormat.allCases)
    func aDecimalThatIsNoNumberComesThrough(_ format: ExportFormat) async throws {
        let folder = try ItemFolder(), other = try ItemFolder()
        let stack = try makePeople(folder), copy = try makePeople(other)
        try await stack.performBackground { context in
            let ann = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            ann.setValue(7, forKey: "code")
            ann.setValue("Ann", forKey: "name")
            ann.setValue(NSDecimalNumber.notANumber, forKey: "balance")
        }
        let url = folder.url.appendingPathComponent("people")
        try await Exporter(stack: stack).exportFile(to: url, entityName: "Person", format: format)
        #expect(try String(contentsOf: url, encoding: .utf8).contains("NaN"))
        let read: ImportFormat = format == .csv ? .csv : format == .tsv ? .tsv : .json
        let result = try await Importer(stack: copy).importFile(
            at: url,
            entityName: "Person",
            format: read
        )
        #expect(result.createdCount == 1 && result.failedCount == 0)
        try await copy.performBackground { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            let balance = try context.fetch(request).first?.value(forKey: "balance")
            #expect((balance as? NSDecimalNumber)?.decimalValue.isNaN == true)
        }
        try await MainActor.run {
            try stack.tearDown()
            try copy.tearDown()
        }
    }

    @Test(arguments: Topology.allCases, [StoreKind.sqlite, .inMemory])
    func everyStackExportsWhatIsInItsStore(
        _ topology: Topology,
        _ kind: StoreKind
    ) async throws {
        try await TopologyFixture.run(topology, kind) { fixture async throws in
            try await fixture.insert("a", "b")
            try await fixture.onMain { _ = ItemStack.insert("unsaved", into: $0) }
            let url = fixture.folder.url.appendingPathComponent("items.csv")
            let isOnMain = try await completion { completion in
                Exporter(stack: fixture.stack).exportFile(to: url, entityName: "Item") { result in
                    let count = try? result.get().rowCount
                    completion(MainQueue.isCurrent && count == 2)
                }
            }
            #expect(isOnMain)
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\r\n")
            #expect(Set(lines) == ["name,number", "a,0", "b,0"])
        }
    }

    @Test func aFolderInTheFilesPlaceStaysAndIsTold() async throws {
        let folder = try ItemFolder()
        let stack = try makePeople(folder)
        let url = folder.url.appendingPathComponent("people.csv")
        let inside = url.appendingPathComponent("inside")
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
        let error = #expect(throws: MergeStackError.self) {
            try Exporter(stack: stack).exportFileAndWait(to: url, entityName: "Person")
        }
        #expect(error?.code == .unwritableFile && error?.underlyingError is POSIXError)
        #expect(FileManager.default.fileExists(atPath: inside.path))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.hasSuffix(".tmp") })
        try await MainActor.run { try stack.tearDown() }
    }

    @Test func unknownFormatsAndStacksThatAreGoneAreTold() async throws {
        let folder = try ItemFolder()
        let stack = try makePeople(folder)
        let exporter = Exporter(stack: stack)
        let url = folder.url.appendingPathComponent("people.xls")
        let format = #expect(throws: MergeStackError.self) {
            try exporter.exportFileAndWait(to: url, entityName: "Person")
        }
        #expect(format?.code == .unwritableFile)
        try await MainActor.run { try stack.tearDown() }
        let gone = #expect(throws: MergeStackError.self) {
            try exporter.exportFileAndWait(to: url, entityName: "Person", format: .csv)
        }
        #expect(gone?.code == .invalidated)
    }

    /// Dates of ISO 8601 from end to end, checked with Foundation's formatter.
    @Test func datesAreWrittenAsTheyAreRead() throws {
        let parser = DateParser(format: nil)
        let formatter = ISO8601DateFormatter()
        var random = SplitMix(seed: 7)
        for _ in 0..<2_000 {
            // From 1583 on, since the formatter counts by Julius Caesar before.
            let seconds = Double(random.below(250_000_000_000)) - 12_200_000_000
            let date = Date(timeIntervalSince1970: seconds)
            let text = parser.exported(date).plain ?? ""
            #expect(text == formatter.string(from: date))
            #expect(parser.date(text) == date)
        }
        let fraction = Date(timeIntervalSince1970: -0.000001)
        #expect(parser.exported(fraction).plain == "1969-12-31T23:59:59.999999Z")
        #expect(parser.exported(Date(timeIntervalSince1970: .infinity)).plain == nil)
        // Dates without seconds of their own have no text that could be read again.
        #expect(parser.exported(Date(timeIntervalSince1970: 1e300)).plain == nil)
    }

    @Test(arguments: [
        253_402_300_799, 253_402_300_800, -62_167_219_200, -62_167_219_201, 1e14, -1e14,
    ])
    func yearsBeyondFourDigitsAreReadAgain(seconds: Double) {
        let parser = DateParser(format: nil), date = Date(timeIntervalSince1970: seconds)
        let text = parser.exported(date).plain
        #expect(text.flatMap(parser.date) == date, "\(text ?? "nil")")
    }

    @Test func microsecondsAreExact() {
        let parser = DateParser(format: nil)
        for seconds in [0.123_457, -0.000_001, 700_000_000.5, 1.000_001] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(parser.exported(date).plain.flatMap(parser.date) == date)
        }
        // A fraction that rounds up to a second.
        let nearly = Date(timeIntervalSinceReferenceDate: 0.999_999_9)
        #expect(parser.exported(nearly).plain == "2001-01-01T00:00:01Z")
    }
}
