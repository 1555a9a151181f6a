import Foundation
import Testing

@testable import MergeExchange

@Suite struct JSONReaderTests {
    @Test(arguments: [1, 4, 1000])
    func arrayOfObjects(chunk: Int) throws {
        let text = """
            [
             {"n": 1, "x": 1.5, "t": "a\\"}b", "f": false, "z": null,
              "l": [1, "2"], "o": {"p": {"q": true}}},
             {"n": 9007199254740993}
            ]

            """
        let outcome = try ReadingOutcome(.json, text, chunk: chunk)
        #expect(outcome.problems.isEmpty)
        #expect(outcome.records.map(\.line) == [2, 4])
        let first = try #require(outcome.records.first)
        #expect(first["n"] == .integer(1))
        #expect(first["x"] == .real(1.5))
        #expect(first["t"] == .text("a\"}b"))
        #expect(first["f"] == .boolean(false))
        #expect(first["z"] == .null)
        #expect(first["l"] == .list([.integer(1), .text("2")]))
        #expect(first["o"]?.value(atKeyPath: ["p", "q"]) == .boolean(true))
        #expect(first["o"]?.value(atKeyPath: ["p", "q", "r"]) == nil)
        #expect(first["none"] == nil)
        #expect(outcome.records[1]["n"] == .integer(9_007_199_254_740_993))
    }

    @Test(arguments: [1, 1000])
    func objectKeyedByID(chunk: Int) throws {
        let text = "{\"DE\": {\"name\": \"Germany\"},\n \"F\\u0052\" : {\"name\": \"France\"}}"
        let outcome = try ReadingOutcome(.json, text, chunk: chunk)
        #expect(outcome.records.map(\.key) == ["DE", "FR"])
        #expect(outcome.records.map { $0["name"] } == [.text("Germany"), .text("France")])
        #expect(outcome.records.map(\.line) == [1, 2])
    }

    @Test(arguments: [1, 1000])
    func newlineDelimitedObjects(chunk: Int) throws {
        let outcome = try ReadingOutcome(.json, "{\"a\": {\"b\": 1}}\n\n{\"a\": 2}\n", chunk: chunk)
        #expect(outcome.records.map(\.line) == [1, 3])
        #expect(outcome.records[0].key == nil)
    }

    @Test func oneObjectOfValuesIsOneRecord() throws {
        let outcome = try ReadingOutcome(.json, "{\"a\": 1, \"b\": {}}")
        #expect(outcome.records.count == 1)
        #expect(outcome.records[0]["a"] == .integer(1))
    }

    @Test func badRecordsAreReportedAndTheRestGoesOn() throws {
        let outcome = try ReadingOutcome(.json, "[{\"a\": 1},\n{\"a\" 2},\n3,\n{\"a\": 4}]")
        #expect(outcome.records.map { $0["a"] } == [.integer(1), .integer(4)])
        #expect(outcome.problems.map(\.line) == [2, 3])
    }

    @Test(arguments: [
        "", "nonsense",
        "[{\"a\": 1}", "[{\"a\": 1} {\"a\": 2}]", "[{\"a\": 1}] x", "{\"a\": {\"b\": 1}",
        "[{\"a\": \"open}]", "[", "{\"a\"", "[{\"a\": 1}, ",
    ])
    func textThatIsCutOffThrows(text: String) {
        #expect(throws: ImportProblem.self) { try ReadingOutcome(.json, text) }
    }

    @Test(arguments: [1, 2, 1000], ["[", ""])
    func recordsBeforeACutAreKept(batch: Int, opening: String) throws {
        let separator = opening.isEmpty ? "\n" : ",\n"
        let text =
            opening + (0..<5).map { "{\"a\": \($0)}" }.joined(separator: separator)
            + separator + "{\"a\": \"cut o"
        let outcome = try ReadingOutcome.upToFailure(.json, text, batch: batch)
        #expect(outcome.records.map { $0["a"] } == (0..<5).map { .integer($0) })
        #expect(outcome.failure?.line == 6)
    }

    @Test func recordsBeforeAMissingCommaAreKeptOnce() throws {
        let outcome = try ReadingOutcome.upToFailure(.json, "[{\"a\": 1}, 2, {\"a\": 3} {}]")
        #expect(outcome.records.map { $0["a"] } == [.integer(1), .integer(3)])
        #expect(outcome.problems.count == 1)
        #expect(outcome.failure?.reason.contains("comma") == true)
    }

    @Test func deepNestingIsARecordProblem() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let outcome = try ReadingOutcome(.json, "[{\"a\": \(deep)}, {\"a\": 1}]", chunk: 1 << 16)
        #expect(outcome.records.count == 1)
        #expect(outcome.problems.count == 1)
    }

    @Test func badUTF8IsARecordProblem() throws {
        let bytes = Array("[{\"a\": \"".utf8) + [0xFF] + Array("\"}, {\"a\": 1}]".utf8)
        let outcome = try ReadingOutcome(.json, bytes)
        #expect(outcome.records.count == 1)
        #expect(outcome.problems.count == 1)
    }
}
