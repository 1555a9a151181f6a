import Foundation
import MergeStack

@testable import MergeExchange

/// All that a reader gives for a text, in chunks as small as asked for.
struct ReadingOutcome {
    var records: [ImportRecord] = []
    var problems: [ImportProblem] = []
    var batchCount = 0
    /// What ended the file too early.
    var failure: ImportProblem?
    /// Why the file can't be read on.
    var readFailure: MergeStackError?

    init(_ format: ImportFormat, _ text: String, chunk: Int = 7, batch: Int = 1000) throws {
        try self.init(format, Array(text.utf8), chunk: chunk, batch: batch)
    }

    init(_ format: ImportFormat, _ bytes: [UInt8], chunk: Int = 7, batch: Int = 1000) throws {
        var rest = bytes[...]
        let window = ByteWindow(file: "test", chunkByteCount: chunk) { count in
            defer { rest = rest.dropFirst(count) }
            return Data(rest.prefix(count))
        }
        try read(format.reader(window), batch)
        if let failure { throw failure }
        if let readFailure { throw readFailure }
    }

    private init() {}

    /// The same for a text whose rest can't be read from some place on.
    static func upToFailure(
        _ format: ImportFormat,
        _ text: String,
        batch: Int = 1000,
        chunk: Int = 7,
        fails: Bool = false
    ) throws -> ReadingOutcome {
        var rest = Array(text.utf8)[...]
        let window = ByteWindow(file: "test", chunkByteCount: chunk) { count in
            if rest.isEmpty, fails { throw CocoaError(.fileReadUnknown) }
            defer { rest = rest.dropFirst(count) }
            return Data(rest.prefix(count))
        }
        var outcome = ReadingOutcome()
        try outcome.read(format.reader(window), batch)
        return outcome
    }

    private mutating func read(_ reader: any RecordReader, _ batch: Int) throws {
        do {
            while let next = try reader.nextBatch(maximumCount: batch) {
                records += next.records
                problems += next.problems
                batchCount += 1
            }
        } catch let problem as ImportProblem {
            failure = problem
        } catch let error as MergeStackError {
            readFailure = error
        }
    }
}
