import Foundation

/// Reads the records of a JSON file.
///
/// The file is an array of objects, an object of objects by their keys, or objects one after the
/// other (newline-delimited). Which of them it is the content tells.
///
/// One record is parsed at a time, so a file may be larger than memory, and a bad record becomes
/// a problem of the batch while the rest goes on.
///
/// > Threading: One thread at a time.
final class JSONReader: RecordReader {
    private enum Layout { case array, keyed, sequence }

    private let window: ByteWindow
    private var layout: Layout?
    private var line = 1
    private var batchCount = 0
    private var recordCount = 0
    private var isFinished = false
    /// What ended the file too early, once the batch before it is handed out.
    private var failure: (any Error)?

    init(window: ByteWindow) { self.window = window }

    var consumedByteCount: Int { window.consumedByteCount }

    func nextBatch(maximumCount: Int) throws -> ImportBatch? {
        if let failure { throw failure }
        var batch = ImportBatch(number: batchCount)
        do {
            try read(maximumCount, into: &batch)
        } catch {
            // The records before it are good: they go first, and the next call throws.
            failure = error
            if batch.isEmpty { throw error }
        }
        guard !batch.isEmpty else { return nil }
        batchCount += 1
        return batch
    }

    private func read(_ maximumCount: Int, into batch: inout ImportBatch) throws {
        let layout = try self.layout ?? detectLayout()
        while batch.records.count < maximumCount, !isFinished {
            guard try advanceToRecord(layout) else { break }
            let key = layout == .keyed ? try nextKey() : nil
            let startLine = line
            let (value, reason) = try nextValue()
            recordCount += 1
            if case .object(let fields) = value {
                batch.records.append(
                    ImportRecord(
                        number: recordCount,
                        line: startLine,
                        key: key,
                        storage: .object(fields)
                    )
                )
            } else {
                batch.problems.append(problem(startLine, reason ?? "The record is not an object."))
            }
        }
    }

    // MARK: Layout

    private func detectLayout() throws -> Layout {
        try window.skipByteOrderMark()
        let layout: Layout
        switch try nextByte() {
        case UInt8(ascii: "["):
            layout = .array
            window.position += 1
        case UInt8(ascii: "{"):
            layout = try isKeyed() ? .keyed : .sequence
            if layout == .keyed { window.position += 1 }
        case nil:
            throw problem(0, "The file is empty; it must hold JSON objects.")
        default:
            throw problem(line, "This is not JSON: an array or object must begin here.")
        }
        self.layout = layout
        return layout
    }

    /// Whether the object that begins here is the whole file, and all its values are objects.
    private func isKeyed() throws -> Bool {
        while true {
            let scanned: (found: JSONScanner.Found, isAlone: Bool?) = scan { scanner, start in
                let found = scanner.endOfValue(from: start)
                guard case .end(let end) = found else { return (found, nil) }
                var ignored = 0
                let next = scanner.skipWhitespace(from: end, lineCount: &ignored)
                if next < scanner.bytes.count { return (found, false) }
                return (found, scanner.isAtEnd ? true : nil)
            }
            switch scanned {
            case (_, false?): return false
            // The file ends inside of the object. Taken for a list, it still gives its complete
            // records before the problem is reported.
            case (.malformed, _): return true
            case (.end(let end), true?):
                return consistsOfObjects(window.bytes[window.position..<end])
            default:
                // An object that fills this much is no single record.
                if window.bytes.count - window.position > 4 << 20 { return true }
                _ = try window.fill(line: line)
            }
        }
    }

    private func consistsOfObjects(_ bytes: ArraySlice<UInt8>) -> Bool {
        do {
            guard case .object(let fields) = try parse(Data(bytes)) else { return false }
            return !fields.isEmpty
                && fields.values.allSatisfy { if case .object = $0 { true } else { false } }
        } catch {
            // Read as one record, it is reported with its line.
            return false
        }
    }

    // MARK: Records

    /// Goes to where a record, or its key, begins; false at the end of the list.
    private func advanceToRecord(_ layout: Layout) throws -> Bool {
        guard var byte = try nextByte() else {
            isFinished = true
            if layout == .sequence { return false }
            throw problem(line, "The file ends before its list is closed; is it cut off?")
        }
        if layout == .sequence { return true }
        let closing = UInt8(ascii: layout == .array ? "]" : "}")
        if byte == UInt8(ascii: ","), recordCount > 0 {
            window.position += 1
            // At the end of the file anything but the closing bracket: what is missing is reported
            // where the record is to begin.
            byte = try nextByte() ?? 0
        } else if recordCount > 0, byte != closing {
            throw problem(line, "A comma is missing between two records.")
        }
        guard byte == closing else { return true }
        window.position += 1
        if try nextByte() != nil { throw problem(line, "Text follows the end of the list.") }
        isFinished = true
        return false
    }

    private func nextKey() throws -> String {
        guard try nextByte() == UInt8(ascii: "\"") else {
            throw problem(line, "A key in quotes must begin here.")
        }
        let quoted = try takeValue { $0.endOfString(from: $1) }
        guard let key = quoted.flatMap(text) else {
            throw problem(line, "The key is not a JSON string.")
        }
        guard try nextByte() == UInt8(ascii: ":") else {
            throw problem(line, "A colon must follow the key \"\(key)\".")
        }
        window.position += 1
        _ = try nextByte()
        return key
    }

    /// The next value, or why there is none.
    private func nextValue() throws -> (ImportValue?, String?) {
        let startLine = line
        guard window.position < window.bytes.count else {
            throw problem(line, "The file ends where a record must begin; is it cut off?")
        }
        guard let bytes = try takeValue({ $0.endOfValue(from: $1) }) else {
            isFinished = true
            throw problem(startLine, "The record has no end; is the file cut off?")
        }
        do {
            return (try parse(bytes), nil)
        } catch {
            return (nil, "The record is not valid JSON; check its commas, quotes and brackets.")
        }
    }

    /// A string's value; nil if it is no JSON string.
    private func text(_ quoted: Data) -> String? {
        do {
            guard case .text(let text) = try parse(quoted) else { return nil }
            return text
        } catch {
            // The caller says which line it is in; which escape is wrong is plain to see there.
            return nil
        }
    }

    private func parse(_ bytes: Data) throws -> ImportValue {
        try bytes.withUnsafeBytes { bytes in
            let bytes = bytes.bindMemory(to: UInt8.self)
            guard isValidUTF8(bytes) else {
                throw CocoaError(.fileReadInapplicableStringEncoding)
            }
            return try JSONParser.value(of: bytes)
        }
    }

    /// Takes the value at the position out of the window; nil if it has no end.
    private func takeValue(
        _ find: (JSONScanner, Int) -> JSONScanner.Found
    ) throws -> Data? {
        while true {
            switch scan(find) {
            case .end(let end):
                let bytes = window.bytes[window.position..<end]
                for byte in bytes where byte == UInt8(ascii: "\n") { line += 1 }
                window.position = end
                return Data(bytes)
            case .needsMore:
                _ = try window.fill(line: line)
            case .malformed:
                return nil
            }
        }
    }

    /// Skips white space; nil at the end of the file.
    private func nextByte() throws -> UInt8? {
        while true {
            let next = scan { scanner, start in
                scanner.skipWhitespace(from: start, lineCount: &line)
            }
            window.position = next
            if next < window.bytes.count { return window.bytes[next] }
            guard try window.fill(line: line) else { return nil }
        }
    }

    private func scan<Result>(_ body: (JSONScanner, Int) -> Result) -> Result {
        window.bytes.withUnsafeBufferPointer {
            body(JSONScanner(bytes: $0, isAtEnd: window.isAtEnd), window.position)
        }
    }

    private func problem(_ line: Int, _ reason: String) -> ImportProblem {
        ImportProblem(
            file: window.file,
            line: line,
            record: recordCount > 0 ? recordCount : nil,
            reason: reason
        )
    }
}
