import CoreData
import MergeStack
import StackSupport
import TestSupport
import Threads
import XCTest

@testable import MergeExchange

final class ImporterTests: XCTestCase {
    private func makeStack() throws -> ImportStack {
        let items = try ImportStack()
        addTeardownBlock { items.remove() }
        return items
    }

    private func problems(_ options: inout ImportOptions) -> Log<ImportProblem> {
        let log = Log<ImportProblem>()
        options.onProblem = { log.append($0) }
        return log
    }

    func testAllAttributeTypes() throws {
        let items = try makeStack()
        let csv = """
            code,full.name,isMember,born,seen,height,balance,token,page,key,junk
            7, Ann ,yes,31.12.1999,2024-02-29T12:30:15.5+02:00,1.75,0.10,\
            6BA7B810-9DAD-11D1-80B4-00C04FD430C8,https://example.org/a,AQID,x
            8,Bob,,,,,,,,,

            """
        let result = try items.importText(csv, in: self)
        XCTAssertEqual(result.createdCount, 2)
        XCTAssertEqual(result.failedCount, 0)
        XCTAssertEqual(result.unknownColumns, ["junk"])
        let rows = try items.rows("Person", sort: "code")
        let ann = rows[0]
        XCTAssertEqual(ann["code"] as? Int, 7)
        XCTAssertEqual(ann["name"] as? String, " Ann ")
        XCTAssertEqual(ann["isMember"] as? Bool, true)
        XCTAssertEqual(ann["born"] as? Date, Date(timeIntervalSince1970: 946_598_400))
        XCTAssertEqual(ann["seen"] as? Date, Date(timeIntervalSince1970: 1_709_202_615.5))
        XCTAssertEqual(ann["height"] as? Double, 1.75)
        XCTAssertEqual(ann["balance"] as? NSDecimalNumber, NSDecimalNumber(string: "0.1"))
        XCTAssertEqual(
            ann["token"] as? UUID,
            UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
        )
        XCTAssertEqual(ann["page"] as? URL, URL(string: "https://example.org/a"))
        XCTAssertEqual(ann["key"] as? Data, Data([1, 2, 3]))
        XCTAssertNil(rows[1]["isMember"])
        XCTAssertNil(rows[1]["height"])
    }

    func testBadRecordsAreReportedWithFileAndLineAndTheRestIsKept() throws {
        let items = try makeStack()
        var options = ImportOptions()
        let log = problems(&options)
        let csv = """
            code,fullName,height,seen
            1,a,1.5,2024-01-01
            x,b,1.5,
            2,b,tall,
            3,b,1.5,2023-02-29
            4
            ,no key,,
            99999999999,b,,
            5,e,1.5,

            """
        let result = try items.importText(csv, options: options, in: self)
        XCTAssertEqual(result.rowCount, 8)
        XCTAssertEqual(result.createdCount, 2)
        XCTAssertEqual(result.failedCount, 6)
        XCTAssertEqual(log.all.map(\.line).sorted(), [3, 4, 5, 6, 7, 8])
        let texts = log.all.sorted { $0.line < $1.line }.map(\.description)
        XCTAssertEqual(texts[0], "file.csv:3:code: \"x\" is not a whole number.")
        XCTAssertEqual(texts[1], "file.csv:4:height: \"tall\" is not a number.")
        XCTAssertEqual(
            texts[2],
            "file.csv:5:seen: \"2023-02-29\" is not a date such as 2012-05-31 or "
                + "2012-05-31T14:30:00Z."
        )
        XCTAssertEqual(texts[3], "file.csv:6: The record has 1 fields, but the header has 4.")
        XCTAssertTrue(texts[5].contains("is not between"), texts[5])
        XCTAssertEqual(try items.count("Person"), 2)
    }

    func testARecordThatIsNotValidIsTakenOutOfItsBatch() throws {
        let items = try makeStack()
        var options = ImportOptions()
        let log = problems(&options)
        let json = #"[{"code": 1, "fullName": "a"}, {"code": 2}, {"code": 3, "fullName": "c"}]"#
        let result = try items.importText(json, as: "file.json", options: options, in: self)
        XCTAssertEqual(result.createdCount, 2)
        XCTAssertEqual(result.failedCount, 1)
        XCTAssertEqual(log.all.map(\.column), ["name"])
        XCTAssertEqual(try items.count("Person"), 2)
    }

    func testAllRecordsBeforeACutAreKeptAndCounted() throws {
        for name in ["cut.json", "cut.jsonl"] {
            let items = try makeStack()
            var options = ImportOptions()
            options.batchSize = 4
            let log = problems(&options)
            let separator = name.hasSuffix("l") ? "\n" : ",\n"
            let records = (1...10).map { "{\"code\": \($0), \"fullName\": \"a\"}" }
            let text =
                (name.hasSuffix("l") ? "" : "[") + records.joined(separator: separator)
                + separator + "{\"code\": 11, \"full"
            let result = try items.importText(text, as: name, options: options, in: self)
            XCTAssertEqual(result.createdCount, 10, name)
            XCTAssertEqual(result.rowCount, 11, name)
            XCTAssertEqual(result.failedCount, 1, name)
            XCTAssertEqual(try items.count("Person"), 10, name)
            XCTAssertEqual(log.all.map(\.line), [11], name)
        }
    }

    func testStrictImportsKeepNothingOfABadFile() throws {
        let items = try makeStack()
        var options = ImportOptions()
        options.isStrict = true
        options.batchSize = 2
        let csv = "code,fullName,home\n1,a,X\n2,b,Y\n3,c,\n4,d,\nbad,e,\n"
        XCTAssertThrowsError(try items.importText(csv, options: options, in: self)) { error in
            XCTAssertEqual((error as? MergeStackError)?.code, .importFailed)
            XCTAssertTrue("\(error)".contains("file.csv:6:code"), "\(error)")
        }
        XCTAssertEqual(try items.count("Person"), 0)
        XCTAssertEqual(try items.count("City"), 0)
        let good = csv.replacingOccurrences(of: "bad", with: "3")
        let result = try items.importText(good, options: options, in: self)
        XCTAssertEqual(result.createdCount, 4)
        XCTAssertEqual(result.saveCount, 1)
        XCTAssertEqual(try items.count("Person"), 4)
        XCTAssertEqual(try items.count("City"), 2)
        XCTAssertEqual(try items.rows("Person", sort: "code")[2]["name"] as? String, "e")
    }

    func testImportingAgainChangesNothing() throws {
        let items = try makeStack()
        let csv = "code,fullName,home,friendCodes\n1,a,X,2;3\n2,b,X,\n3,c,Y,2\n"
        let first = try items.importText(csv, in: self)
        XCTAssertEqual(first.createdCount, 3)
        XCTAssertEqual(first.createdRelatedCount, 2)
        let merges = items.stack.merger.statistics.mergeCount
        let second = try items.importText(csv, in: self)
        XCTAssertEqual(second.unchangedCount, 3)
        XCTAssertEqual(second.saveCount, 0)
        XCTAssertEqual(second.createdRelatedCount, 0)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, merges)
        let third = try items.importText("code,fullName\n2,B\n3,c\n", in: self)
        XCTAssertEqual(third.updatedCount, 1)
        XCTAssertEqual(third.unchangedCount, 1)
        XCTAssertEqual(try items.count("Person"), 3)
        let rows = try items.rows("Person", sort: "code")
        XCTAssertEqual(rows.map { $0["home"] as? String }, ["X", "X", "Y"])
        XCTAssertEqual(rows.map { $0["name"] as? String }, ["a", "B", "c"])
    }

    func testListsConnectObjectsOfTheSameFileInAnyOrder() throws {
        let items = try makeStack()
        var options = ImportOptions()
        options.batchSize = 1
        let csv = "code,fullName,friendCodes\n1,a,2; 3\n2,b,\n3,c,2\n"
        let result = try items.importText(csv, options: options, in: self)
        XCTAssertEqual(result.failedCount, 0)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
        let people = try items.stack.mainContext.fetch(request)
        let friends = people.map { person in
            (person.value(forKey: "friends") as? Set<NSManagedObject> ?? [])
                .compactMap { $0.value(forKey: "code") as? Int }.sorted()
        }
        XCTAssertEqual(friends, [[2, 3], [1, 3], [1, 2]])
    }

    func testARelatedObjectThatCannotBeMadeFailsItsRecordOnly() throws {
        let items = try makeStack()
        var options = ImportOptions()
        let log = problems(&options)
        let csv = "code,fullName,friendCodes\n1,a,2\n2,b,77\n"
        let result = try items.importText(csv, options: options, in: self)
        XCTAssertEqual(result.createdCount, 2)
        XCTAssertEqual(log.all.map(\.line), [3])
        XCTAssertEqual(log.all.first?.column, "friendCodes")
        XCTAssertEqual(try items.count("Person"), 2)
    }

    func testJSONObjectsByKeyAndNestedValues() throws {
        let items = try makeStack()
        let json = """
            {"11": {"full": {"name": "Ann"}, "home": {"cityID": "X"}, "isMember": true,
                    "friendCodes": [12]},
             "12": {"fullName": "Bob", "home": "X", "height": 2}}
            """
        let result = try items.importText(json, as: "file.json", in: self)
        XCTAssertEqual(result.createdCount, 2)
        XCTAssertEqual(result.createdRelatedCount, 1)
        let rows = try items.rows("Person", sort: "code")
        XCTAssertEqual(rows.map { $0["code"] as? Int }, [11, 12])
        XCTAssertEqual(rows.map { $0["name"] as? String }, ["Ann", "Bob"])
        XCTAssertEqual(rows.map { $0["home"] as? String }, ["X", "X"])
    }

    func testWhatNestedValuesHaveBesidesIsNamed() throws {
        let items = try makeStack()
        var options = ImportOptions()
        let log = problems(&options)
        let json = """
            [{"code": 1, "full": {"name": "Ann", "title": "Dr."}, "tags": ["x"], "note": 1,
              "home": {"cityID": "X", "size": 3}, "friendCodes": [2, {"code": 3, "since": 2}]},
             {"code": 2, "fullName": ["Bob"]}, {"code": 3, "fullName": "Eve", "meta": {"a": 1}}]
            """
        let result = try items.importText(json, as: "file.json", options: options, in: self)
        XCTAssertEqual(
            result.unknownColumns,
            ["friendCodes.since", "full.title", "home.size", "meta", "note", "tags"]
        )
        XCTAssertEqual(
            result.nestedColumns,
            ["friendCodes.since", "full.title", "home.size", "meta", "tags"]
        )
        XCTAssertEqual(log.all.filter(\.isNestedValue).map(\.record), [2])
    }

    func testSeveralWorkersCreateNoObjectTwice() throws {
        let items = try makeStack()
        var options = ImportOptions()
        options.batchSize = 7
        options.workers = [.privateQueue, .confinement, .privateQueue, .confinement]
        // Each key three times, each city in every batch.
        let lines = (0..<600).map { "\($0 % 200),n\($0),city \($0 % 5)" }
        let csv = "code,fullName,home\n" + lines.joined(separator: "\n")
        let result = try items.importText(csv, options: options, in: self)
        XCTAssertEqual(result.rowCount, 600)
        XCTAssertEqual(result.failedCount, 0)
        XCTAssertEqual(result.createdCount, 200)
        XCTAssertEqual(try items.count("Person"), 200)
        XCTAssertEqual(try items.count("City"), 5)
        // The last record of each key has the last word.
        let names = try items.rows("Person", sort: "code").map { $0["name"] as? String }
        XCTAssertEqual(names, (400..<600).map { "n\($0)" })
    }

    func testCancellingKeepsWhatIsSavedAndStops() throws {
        let items = try makeStack()
        let progress = Progress(totalUnitCount: 0)
        let box = Guarded(progress)
        var options = ImportOptions()
        options.batchSize = 10
        options.onProgress = { _ in box.withLock { $0.cancel() } }
        let csv = "code,fullName\n" + (0..<100).map { "\($0),a\n" }.joined()
        let result = try items.importText(csv, options: options, progress: progress, in: self)
        XCTAssertTrue(result.isCancelled)
        XCTAssertEqual(result.rowCount, 10)
        XCTAssertEqual(try items.count("Person"), 10)
    }

    /// Whoever shows the progress may have set one for a purpose of its own.
    func testTheProgressKeepsItsCancellationHandler() throws {
        let items = try makeStack()
        let progress = Progress(totalUnitCount: 0)
        let handled = DispatchSemaphore(value: 0)
        progress.cancellationHandler = { handled.signal() }
        let box = Guarded(progress)
        var options = ImportOptions()
        options.onProgress = { _ in box.withLock { $0.cancel() } }
        let result = try items.importText(
            "code,fullName\n1,a\n",
            options: options,
            progress: progress,
            in: self
        )
        XCTAssertTrue(result.isCancelled)
        XCTAssertEqual(handled.wait(timeout: .now() + patience), .success)
    }

    func testProgressReachesTheEnd() throws {
        let items = try makeStack()
        let progress = Progress(totalUnitCount: 0)
        let fractions = Log<Double>()
        var options = ImportOptions()
        options.batchSize = 10
        options.onProgress = { fractions.append($0.fraction) }
        let csv = "code,fullName\n" + (0..<100).map { "\($0),a\n" }.joined()
        _ = try items.importText(csv, options: options, progress: progress, in: self)
        XCTAssertEqual(progress.completedUnitCount, Int64(csv.utf8.count))
        XCTAssertEqual(fractions.all.last, 1)
        XCTAssertEqual(fractions.all, fractions.all.sorted())
    }

    func testProgressIsThatOfTheFileBehindALink() throws {
        let items = try makeStack()
        try FileManager.default.createSymbolicLink(
            at: items.directory.appendingPathComponent("link.csv"),
            withDestinationURL: items.directory.appendingPathComponent("behind.csv")
        )
        let progress = Progress(totalUnitCount: 0)
        let csv = "code,fullName\n" + (0..<100).map { "\($0),a\n" }.joined()
        _ = try items.importText(csv, as: "link.csv", progress: progress, in: self)
        XCTAssertEqual(progress.totalUnitCount, Int64(csv.utf8.count))
        XCTAssertEqual(progress.fractionCompleted, 1)
    }

    /// A disk that fails is no bad record: what was read before is kept, unless all has to count.
    func testAFileThatCanNotBeReadOnThrows() throws {
        for (name, isStrict) in [("csv", false), ("jsonl", false), ("csv", true)] {
            let items = try makeStack()
            let isTable = name == "csv"
            let lines = (1...9).map {
                isTable ? "\($0),a\n" : "{\"code\": \($0), \"fullName\": \"a\"}\n"
            }
            let text = (isTable ? "code,fullName\n" : "") + lines.joined()
            let chunks = Guarded([Data(text.utf8)])
            let window = ByteWindow(file: "file.\(name)") { _ in
                guard let chunk = chunks.withLock({ $0.popLast() }) else {
                    throw CocoaError(.fileReadUnknown)
                }
                return chunk
            }
            var options = ImportOptions()
            options.batchSize = 4
            options.isStrict = isStrict
            let job = try ImportJob(
                stack: items.stack,
                options: options,
                reader: try ImportFormat(fileName: "file.\(name)").reader(window),
                file: "file.\(name)",
                byteCount: 1000,
                entityName: "Person"
            )
            let failure = Guarded<(any Error)?>(nil)
            let done = background {
                do { _ = try job.run(progress: nil) } catch { failure.withLock { $0 = error } }
            }
            wait(for: [done], timeout: patience)
            let error = failure.withLock { $0 } as? MergeStackError
            XCTAssertEqual(error?.code, .unreadableFile)
            XCTAssertTrue(error?.underlyingError is CocoaError)
            XCTAssertEqual(try items.rows("Person", sort: "code").count, isStrict ? 0 : 9)
        }
    }

    func testAFolderIsNoFile() throws {
        let items = try makeStack()
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("people.csv")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            let importer = Importer(stack: items.stack)
            XCTAssertThrowsError(
                try importer.importFileAndWait(at: url, entityName: "Person")
            ) { error in
                let error = error as? MergeStackError
                XCTAssertEqual(error?.code, .unreadableFile)
                XCTAssertEqual(error?.message.contains("is a folder"), true)
            }
        }
    }

    func testWrongNamesThrowOneSentence() throws {
        let items = try makeStack()
        XCTAssertThrowsError(try items.importText("a\n1\n", entity: "Nobody", in: self)) { error in
            XCTAssertEqual((error as? MergeStackError)?.code, .invalidMapping)
        }
        XCTAssertThrowsError(try items.importText("a\n1\n", as: "file.xls", in: self)) { error in
            XCTAssertEqual((error as? MergeStackError)?.code, .unreadableFile)
        }
    }
}
