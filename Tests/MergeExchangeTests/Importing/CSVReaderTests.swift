import Foundation
import MergeStack
import Testing

@testable import MergeExchange

@Suite struct CSVReaderTests {
    @Test(arguments: ["\n", "\r\n", "\r"], [1, 2, 3, 5, 1000])
    func plainAndQuotedFieldsInAnyChunks(lineEnd: String, chunk: Int) throws {
        let lines = ["a,\"b\",c", "1,\"x,\"\"y\"\"\",", "\"\",Ü,\"4\""]
        let outcome = try ReadingOutcome(.csv, lines.joined(separator: lineEnd), chunk: chunk)
        #expect(outcome.problems.isEmpty)
        let rows = outcome.records.map { record in ["a", "b", "c"].map { record[$0] } }
        #expect(
            rows == [
                [.text("1"), .text("x,\"y\""), .null],
                [.null, .text("Ü"), .text("4")],
            ]
        )
        #expect(outcome.records.map(\.line) == [2, 3])
        #expect(outcome.records[0]["d"] == nil)
    }

    @Test func lineNumbersCountEmbeddedLineEndsAndEmptyLines() throws {
        let text = "\u{FEFF}a,b\n1,\"two\nlines\n\"\n\n3,4\n"
        let outcome = try ReadingOutcome(.csv, text)
        #expect(outcome.records.map(\.line) == [2, 6])
        #expect(outcome.records[0]["b"] == .text("two\nlines\n"))
        #expect(outcome.records[0].names == ["a", "b"])
    }

    @Test(arguments: ["\n", "\r\n", "\r"], [1, 2, 1000])
    func anEmptyFieldInQuotesIsARecordAndAnEmptyLineIsNone(lineEnd: String, chunk: Int) throws {
        let lines = ["a", "\"\"", "", "1", "\"\""]
        let outcome = try ReadingOutcome(.csv, lines.joined(separator: lineEnd), chunk: chunk)
        #expect(outcome.problems.isEmpty)
        #expect(outcome.records.map { $0["a"] } == [.null, .text("1"), .null])
        #expect(outcome.records.map(\.line) == [2, 4, 5])
        let wider = try ReadingOutcome(.csv, "a,b\n\"\"\n\n1,2\n", chunk: chunk)
        #expect(wider.records.map(\.line) == [4])
        #expect(wider.problems.map(\.line) == [2])
    }

    @Test func wrongFieldCountIsReportedAndTheRestGoesOn() throws {
        let outcome = try ReadingOutcome(.csv, "a,b\n1\n1,2,3\n1,2\n", chunk: 3)
        #expect(outcome.records.map(\.line) == [4])
        #expect(outcome.problems.map(\.line) == [2, 3])
        #expect(
            outcome.problems[1].description
                == "test:3: The record has 3 fields, but the header has 2."
        )
    }

    @Test func unterminatedQuoteNamesTheRecordsLine() throws {
        let outcome = try ReadingOutcome(.csv, "a,b\n1,2\n3,\"open\n5,6\n")
        #expect(outcome.records.count == 1)
        #expect(outcome.problems.map(\.line) == [3])
        #expect(outcome.problems[0].reason.contains("not closed"))
    }

    @Test func textAfterAClosingQuoteSpoilsOneRecordOnly() throws {
        let outcome = try ReadingOutcome(.csv, "a,b\n\"x\"y,2\n3,4\n")
        #expect(outcome.problems.map(\.line) == [2])
        #expect(outcome.records.map(\.line) == [3])
    }

    @Test func badUTF8NamesTheColumn() throws {
        let bytes: [[UInt8]] = [Array("a,b\n1,".utf8), [0xC3, 10, 0xA9], Array(",2\nä,1\n".utf8)]
        let outcome = try ReadingOutcome(.csv, bytes.flatMap { $0 })
        #expect(outcome.problems.map(\.line) == [2, 3])
        #expect(outcome.problems.map(\.column) == ["b", "a"])
        #expect(outcome.records.map(\.line) == [4])
    }

    @Test func batchesHoldAsManyRecordsAsAskedFor() throws {
        let text = "n\n" + (0..<25).map { "\($0)\n" }.joined()
        let outcome = try ReadingOutcome(.csv, text, batch: 10)
        #expect(outcome.batchCount == 3)
        #expect(outcome.records.map { $0["n"] } == (0..<25).map { .text("\($0)") })
    }

    @Test(arguments: [1, 2, 1000])
    func recordsBeforeAPlaceThatCannotBeReadAreKept(batch: Int) throws {
        let outcome = try ReadingOutcome.upToFailure(
            .csv,
            "n\n0\n1\n2\n3\n\"",
            batch: batch,
            fails: true
        )
        #expect(outcome.records.map { $0["n"] } == (0..<4).map { .text("\($0)") })
        #expect(outcome.readFailure?.code == .unreadableFile)
        #expect(outcome.readFailure?.message.contains("line 6") == true)
    }

    @Test func recordsBeforeARecordThatIsTooLongAreKept() throws {
        let long = String(repeating: "x", count: ByteWindow.maximumRecordByteCount + 1)
        let outcome = try ReadingOutcome.upToFailure(
            .csv,
            "n\n0\n1\n\"" + long,
            chunk: 1 << 20
        )
        #expect(outcome.records.map { $0["n"] } == [.text("0"), .text("1")])
        #expect(outcome.failure?.reason.contains("64 MB") == true)
    }

    @Test func unusableHeadersThrow() {
        #expect(throws: ImportProblem.self) { try ReadingOutcome(.csv, "") }
        #expect(throws: ImportProblem.self) { try ReadingOutcome(.csv, "a,b,a\n1,2,3\n") }
        #expect(throws: ImportProblem.self) { try ReadingOutcome(.csv, [0xFF, 0xFE, 0x61, 0x00]) }
        #expect(throws: ImportProblem.self) { try ReadingOutcome(.csv, "a,\"b") }
    }

    @Test func headerAloneHasNoRecords() throws {
        #expect(try ReadingOutcome(.csv, "a,b").batchCount == 0)
        #expect(try ReadingOutcome(.csv, "a,b\n").batchCount == 0)
    }

    @Test func tabsSeparateWhereTheNameSaysSo() throws {
        let format = try ImportFormat(fileName: "x.TSV")
        let outcome = try ReadingOutcome(format, "a\tb\n1,0\t2\n")
        #expect(outcome.records[0]["a"] == .text("1,0"))
        #expect(throws: MergeStackError.self) { try ImportFormat(fileName: "x.xls") }
    }

    @Test(
        arguments: [
            ([0xC0, 0x80], false), ([0xE0, 0x80, 0x80], false), ([0xED, 0xA0, 0x80], false),
            ([0xF5, 0x80, 0x80, 0x80], false), ([0xF0, 0x9F, 0x98], false), ([0x80], false),
            ([0xF0, 0x9F, 0x98, 0x80], true), ([0xE2, 0x82, 0xAC], true), ([], true),
        ] as [([UInt8], Bool)]
    )
    func validationFollowsTheUnicodeTable(bytes: [UInt8], isValid: Bool) {
        #expect(bytes.withUnsafeBufferPointer { isValidUTF8($0) } == isValid)
    }

    @Test func missingFileSaysSo() throws {
        let url = URL(fileURLWithPath: "/nowhere/airports.csv")
        let error = #expect(throws: MergeStackError.self) { try ByteWindow(url: url) }
        #expect(error?.code == .unreadableFile)
    }
}
