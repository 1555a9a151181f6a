import Foundation

@testable import MergeStack

/// All that a reader gives for a text, in chunks as small as asked for.
struct ReadingOutcome {
    var records: [ImportRecord] = []
    var problems: [ImportProblem] = []
    var batchCount = 0

    init(_ format: ImportFormat, _ text: String, chunk: Int = 7, batch: Int = 1000) throws {
        try self.init(format, Array(text.utf8), chunk: chunk, batch: batch)
    }

    init(_ format: ImportFormat, _ bytes: [UInt8], chunk: Int = 7, batch: Int = 1000) throws {
        var rest = bytes[...]
        let window = ByteWindow(file: "test", chunkByteCount: chunk) { count in
            defer { rest = rest.dropFirst(count) }
            return Data(rest.prefix(count))
        }
        let reader = format.reader(window)
        while let next = try reader.nextBatch(maximumCount: batch) {
            records += next.records
            problems += next.problems
            batchCount += 1
        }
    }
}
