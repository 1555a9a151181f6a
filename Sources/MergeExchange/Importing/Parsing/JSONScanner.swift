/// Finds where the values of a JSON text end, without making anything of them.
///
/// What is inside a value is checked by `JSONParser`; here only brackets and strings count.
struct JSONScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    let isAtEnd: Bool

    /// What a scan found.
    enum Found {
        case end(Int)
        /// The text continues beyond the bytes that have been read.
        case needsMore
        /// The file ends, or the brackets do not match.
        case malformed
    }

    /// The first byte that is no white space; `count` if there is none.
    func skipWhitespace(from start: Int, lineCount: inout Int) -> Int {
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"): lineCount += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: return index
            }
            index += 1
        }
        return index
    }

    /// The end of the value that begins at `start`, which is in the bytes and no white space.
    func endOfValue(from start: Int) -> Found {
        switch bytes[start] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): endOfBrackets(from: start)
        case UInt8(ascii: "\""): endOfString(from: start)
        default: endOfScalar(from: start)
        }
    }

    /// The end of the string whose opening quote is at `start`.
    func endOfString(from start: Int) -> Found {
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): return .end(index + 1)
            // The escaped byte may be a quote, which closes nothing. Whether the escape is one, the
            // parser says.
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return isAtEnd ? .malformed : .needsMore
    }

    private func endOfScalar(from start: Int) -> Found {
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: " "),
                UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                return index == start ? .malformed : .end(index)
            default: index += 1
            }
        }
        // A number has no end of its own, so the next chunk may go on with it.
        return isAtEnd ? .end(index) : .needsMore
    }

    private func endOfBrackets(from start: Int) -> Found {
        // Which bracket closes which is left to the parser; the depth is enough to find the end.
        var depth = 0
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
                if depth == 0 { return .end(index) }
            case UInt8(ascii: "\""):
                guard case .end(let end) = endOfString(from: index) else {
                    return isAtEnd ? .malformed : .needsMore
                }
                index = end
            default:
                index += 1
            }
        }
        return isAtEnd ? .malformed : .needsMore
    }
}
