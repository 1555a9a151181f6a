import Foundation

/// Reads a CSV file after RFC 4180: a header row, quoted fields with quotes and line ends in
/// them, CRLF, LF or CR, UTF-8 with or without a byte order mark.
///
/// A record with a wrong number of fields, bad quoting or bad UTF-8 becomes a problem of the
/// batch, and the rest goes on. Empty lines are skipped.
///
/// > Threading: One thread at a time.
final class CSVReader: RecordReader {
    private let window: ByteWindow
    private let delimiter: UInt8
    private var columns: ImportColumns?
    private var line = 1
    private var batchCount = 0
    private var recordCount = 0
    private var scanner = CSVRecordScanner()
    /// What ended the file too early, once the batch before it is handed out.
    private var failure: (any Error)?

    init(window: ByteWindow, delimiter: UInt8 = UInt8(ascii: ",")) {
        self.window = window
        self.delimiter = delimiter
    }

    var consumedByteCount: Int { window.consumedByteCount }

    func nextBatch(maximumCount: Int) throws -> ImportBatch? {
        if let failure { throw failure }
        let columns = try header()
        var batch = ImportBatch(number: batchCount)
        // Where records begin: they get their table when it is complete.
        var places: [Place] = []
        places.reserveCapacity(maximumCount)
        scanner.reset()
        do {
            try read(maximumCount, columns, into: &batch, &places)
        } catch {
            // The records before it are good: they go first, and the next call throws.
            failure = error
            if places.isEmpty, batch.isEmpty { throw error }
        }
        guard !places.isEmpty || !batch.isEmpty else { return nil }
        batchCount += 1
        let table = FieldTable(columns: columns, bytes: scanner.bytes, ends: scanner.ends)
        batch.records = places.map {
            ImportRecord(
                number: $0.number,
                line: $0.line,
                key: nil,
                storage: .fields(table, first: $0.first)
            )
        }
        return batch
    }

    private struct Place {
        let number: Int
        let line: Int
        let first: Int
    }

    private func read(
        _ maximumCount: Int,
        _ columns: ImportColumns,
        into batch: inout ImportBatch,
        _ places: inout [Place]
    ) throws {
        while places.count < maximumCount {
            let startLine = line
            let start = scanner.mark
            guard let outcome = try nextRecord() else { break }
            recordCount += 1
            switch outcome {
            case .empty:
                // No record, and not counted as one.
                scanner.rollBack(to: start)
                recordCount -= 1
            case .malformed(let reason):
                batch.problems.append(problem(startLine, reason))
                scanner.rollBack(to: start)
            case .complete:
                let fieldCount = scanner.ends.count - start.fieldCount
                if fieldCount != columns.names.count {
                    let expected = columns.names.count
                    batch.problems.append(
                        problem(
                            startLine,
                            "The record has \(fieldCount) fields, but the header has \(expected)."
                        )
                    )
                    scanner.rollBack(to: start)
                } else if let column = scanner.firstInvalidField(from: start) {
                    batch.problems.append(
                        problem(startLine, "The field is not UTF-8.", columns.names[column])
                    )
                    scanner.rollBack(to: start)
                } else {
                    places.append(
                        Place(number: recordCount, line: startLine, first: start.fieldCount)
                    )
                }
            }
        }
    }

    /// The next record's outcome; nil at the end of the file.
    private func nextRecord() throws -> CSVRecordScanner.Outcome? {
        let start = scanner.mark
        while true {
            let result = window.bytes.withUnsafeBufferPointer { bytes in
                scanner.scan(
                    bytes,
                    from: window.position,
                    isAtEnd: window.isAtEnd,
                    delimiter: delimiter
                )
            }
            if let result {
                // Even an empty record takes its line end, so nothing taken is the end of the file.
                if result.next == window.position { return nil }
                window.position = result.next
                line += result.lineCount
                return result.outcome
            }
            scanner.rollBack(to: start)
            // The scanner keeps no state from one chunk to the next: a record that the window cuts
            // off is scanned again as a whole.
            _ = try window.fill(line: line)
        }
    }

    private func header() throws -> ImportColumns {
        if let columns { return columns }
        try window.skipByteOrderMark()
        scanner.reset()
        guard let outcome = try nextRecord() else {
            throw problem(0, "The file is empty; the first row must name the columns.")
        }
        if case .malformed(let reason) = outcome { throw problem(1, reason) }
        if scanner.firstInvalidField(from: .init()) != nil {
            throw problem(1, "The header is not UTF-8; convert the file, for example with iconv.")
        }
        let names = scanner.texts
        do {
            let columns = try ImportColumns(names: names)
            self.columns = columns
            return columns
        } catch {
            throw problem(1, "The header names the column \"\(error.name)\" twice.")
        }
    }

    private func problem(_ line: Int, _ reason: String, _ column: String? = nil) -> ImportProblem {
        ImportProblem(
            file: window.file,
            line: line,
            record: recordCount > 0 ? recordCount : nil,
            column: column,
            reason: reason
        )
    }
}
