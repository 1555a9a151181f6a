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

    /// The nearest number is the one whose text it is, also where that has all digits.
    @Test func numbersAreTheNearestOnes() throws {
        let numbers = [
            1.000_000_000_000_000_2, 0.1, 1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            -123_456_789.123_456_79,
        ]
        for number in numbers {
            let outcome = try ReadingOutcome(.json, "[{\"x\": \(number)}]")
            #expect(outcome.records.first?["x"] == .real(number))
        }
    }

    @Test func moreDigitsThanADoubleHasAreKept() throws {
        let text = "12345678901234567890.123456789"
        let outcome = try ReadingOutcome(.json, "[{\"x\": \(text)}]")
        let value = try #require(outcome.records.first?["x"])
        #expect(try value.decimal() == NSDecimalNumber(string: text))
        #expect(try value.real() == 12_345_678_901_234_567_890.123_456_789)
        #expect(try value.string() == text)
    }

    @Test func textsAreAsTheyStandInTheFile() throws {
        let outcome = try ReadingOutcome(
            .json,
            #"[{"a": "\u{FEFF}x", "b": "\ud83d\udc18\u0000\b\f\/", "c": "\r\n\u{7F}"}]"#
                .replacingOccurrences(of: #"\u{FEFF}"#, with: "\u{FEFF}")
                .replacingOccurrences(of: #"\u{7F}"#, with: "\u{7F}")
        )
        let record = try #require(outcome.records.first)
        #expect(record["a"] == .text("\u{FEFF}x"))
        #expect(record["b"] == .text("🐘\u{0}\u{8}\u{C}/"))
        #expect(record["c"] == .text("\r\n\u{7F}"))
    }

    @Test(arguments: [
        "01", "1.", ".5", "+1", "1e", "-", "1e999", "nul", "tru", "\"\\x\"", "\"\\ud800\"",
        "\"\\ud800\\u0041\"", "\"\\u12\"", "\"a\nb\"", "[1,]", "{\"a\": 1,}", "{a: 1}", "1 2",
        String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
    ])
    func whatIsNoJSONIsABadRecord(value: String) throws {
        let outcome = try ReadingOutcome(.json, "[{\"x\": \(value)}, {\"x\": 1}]")
        #expect(outcome.problems.count == 1)
        #expect(outcome.records.map { $0["x"] } == [.integer(1)])
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
