/// Takes the fields of CSV records apart and lines them up, unquoted, in one array of bytes.
struct CSVRecordScanner {
    enum Outcome {
        case complete
        /// A line without anything, which is no record. An empty field in quotes is one.
        case empty
        case malformed(String)
    }
    struct Result {
        let outcome: Outcome
        /// Where the next record begins.
        let next: Int
        /// How many line ends the record holds, its own included.
        let lineCount: Int
    }
    /// A place in the output to return to.
    struct Mark {
        var byteCount = 0
        var fieldCount = 0
    }

    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    var mark: Mark { Mark(byteCount: bytes.count, fieldCount: ends.count) }

    mutating func reset() {
        // New arrays: the old ones may be in use by the table of a batch. The next is as long.
        let (byteCount, fieldCount) = (bytes.count, ends.count)
        bytes = []
        ends = []
        bytes.reserveCapacity(byteCount + byteCount / 8)
        ends.reserveCapacity(fieldCount)
    }

    mutating func rollBack(to mark: Mark) {
        bytes.removeLast(bytes.count - mark.byteCount)
        ends.removeLast(ends.count - mark.fieldCount)
    }

    /// All fields as texts.
    var texts: [String] {
        var start = 0
        return ends.map { end in
            defer { start = end }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
    }

    /// The first field since the mark that is not UTF-8, counted from the mark.
    func firstInvalidField(from mark: Mark) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            let record = UnsafeBufferPointer(rebasing: bytes[mark.byteCount...])
            // Fields that are not UTF-8 could be put together to something that is, so only
            // ASCII is judged as a whole.
            if isASCII(record) { return nil }
            var start = mark.byteCount
            for field in mark.fieldCount..<ends.count {
                let end = ends[field]
                if !isValidUTF8(UnsafeBufferPointer(rebasing: bytes[start..<end])) {
                    return field - mark.fieldCount
                }
                start = end
            }
            return nil
        }
    }

    private func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80
    }

    /// Scans one record; nil if it needs more bytes.
    ///
    /// At the end of input the result's `next` is
    /// `start`.
    mutating func scan(
        _ input: UnsafeBufferPointer<UInt8>,
        from start: Int,
        isAtEnd: Bool,
        delimiter: UInt8
    ) -> Result? {
        let count = input.count
        var index = start
        var lineCount = 0
        let quote = UInt8(ascii: "\"")
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        if index == count {
            return isAtEnd ? Result(outcome: .complete, next: start, lineCount: 0) : nil
        }
        var malformed: String?
        while true {
            if index < count, input[index] == quote, malformed == nil {
                index += 1
                while true {
                    let segment = index
                    while index < count, input[index] != quote {
                        if input[index] == lineFeed { lineCount += 1 }
                        index += 1
                    }
                    if index == count {
                        guard isAtEnd else { return nil }
                        return Result(
                            outcome: .malformed("A quoted field is not closed by the end of file."),
                            next: count,
                            lineCount: lineCount
                        )
                    }
                    append(input, segment..<index)
                    index += 1
                    // Only the next byte tells whether the quote closes the field or is a doubled
                    // one.
                    if index == count, !isAtEnd { return nil }
                    guard index < count, input[index] == quote else { break }
                    bytes.append(quote)
                    index += 1
                }
            } else {
                let segment = index
                while index < count {
                    let byte = input[index]
                    if byte == delimiter || byte == lineFeed || byte == carriageReturn { break }
                    index += 1
                }
                append(input, segment..<index)
            }
            if index == count {
                guard isAtEnd else { return nil }
                ends.append(bytes.count)
                break
            }
            switch input[index] {
            case delimiter:
                index += 1
                ends.append(bytes.count)
                if index == count, !isAtEnd { return nil }
                continue
            case lineFeed:
                index += 1
            case carriageReturn:
                // The line feed of a CRLF may be in the next chunk, where it would count as a line
                // of its own.
                if index + 1 == count, !isAtEnd { return nil }
                index += index + 1 < count && input[index + 1] == lineFeed ? 2 : 1
            default:
                // The rest is still read, up to the line end, so that the next record begins at its
                // place.
                malformed = "Text follows a closing quote; quotes inside a field are doubled."
                continue
            }
            lineCount += 1
            ends.append(bytes.count)
            break
        }
        let isEmpty = start < count && (input[start] == lineFeed || input[start] == carriageReturn)
        let outcome = malformed.map { Outcome.malformed($0) } ?? (isEmpty ? .empty : .complete)
        return Result(outcome: outcome, next: index, lineCount: lineCount)
    }

    @inline(__always) private mutating func append(
        _ input: UnsafeBufferPointer<UInt8>,
        _ range: Range<Int>
    ) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: input[range]))
    }
}
