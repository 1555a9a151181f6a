import Foundation

/// Reads binary property lists that may have been made to do harm.
///
/// Foundation's reader crashes on Linux when a byte is changed. This one checks every offset and
/// count, and limits depth and the number of values, so that shared parts cannot multiply.
struct BinaryPropertyListReader {
    /// Why bytes are no property list.
    struct Malformed: Error {
        let reason: String
    }

    private static let maximumByteCount = 16 << 20
    private static let maximumValueCount = 200_000
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let tableOffset: Int
    private var valueCount = 0

    /// The value of a property list: `String`, `Int`, `Double`, `Bool`, `Date`, `Data`, `[Any]` or
    /// `[String: Any]`.
    static func read(_ data: Data) throws(Malformed) -> Any {
        var reader = try BinaryPropertyListReader(data)
        let root = try reader.unsigned(at: data.count - 16, size: 8)
        return try reader.value(root, depth: 0)
    }

    private init(_ data: Data) throws(Malformed) {
        bytes = [UInt8](data)
        guard bytes.count >= 40, bytes.count <= Self.maximumByteCount,
            bytes.starts(with: Array("bplist00".utf8))
        else { throw Malformed(reason: "it does not begin like a binary property list") }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize else {
            throw Malformed(reason: "its trailer has impossible sizes")
        }
        objectCount = try Self.unsigned(bytes, at: trailer + 8, size: 8)
        tableOffset = try Self.unsigned(bytes, at: trailer + 24, size: 8)
        guard objectCount >= 1, objectCount <= bytes.count, tableOffset >= 8,
            tableOffset <= trailer, objectCount * offsetSize <= trailer - tableOffset
        else { throw Malformed(reason: "its table of objects lies outside") }
    }

    private mutating func value(_ reference: Int, depth: Int) throws(Malformed) -> Any {
        valueCount += 1
        guard valueCount <= Self.maximumValueCount, depth <= Self.maximumDepth else {
            throw Malformed(reason: "it is too deep or too large")
        }
        guard reference >= 0, reference < objectCount else {
            throw Malformed(reason: "it refers to an object that is not there")
        }
        let offset = try unsigned(at: tableOffset + reference * offsetSize, size: offsetSize)
        guard offset >= 8, offset < tableOffset else {
            throw Malformed(reason: "an object lies outside")
        }
        let marker = bytes[offset]
        let low = Int(marker & 0x0f)
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return false
        case 0x0 where marker == 0x09: return true
        case 0x1 where low <= 3: return try integer(at: offset + 1, size: 1 << low)
        case 0x2 where low == 2 || low == 3: return try real(at: offset + 1, size: 1 << low)
        case 0x3 where low == 3:
            return Date(timeIntervalSinceReferenceDate: try real(at: offset + 1, size: 8))
        case 0x4:
            let (start, count) = try span(offset, width: 1)
            return Data(bytes[start..<start + count])
        case 0x5:
            let (start, count) = try span(offset, width: 1)
            return String(decoding: bytes[start..<start + count], as: UTF8.self)
        case 0x6:
            let (start, count) = try span(offset, width: 2)
            let units = (0..<count).map { unit in
                UInt16(bytes[start + 2 * unit]) << 8 | UInt16(bytes[start + 2 * unit + 1])
            }
            return String(decoding: units, as: UTF16.self)
        case 0xA: return try array(offset, depth: depth)
        case 0xD: return try dictionary(offset, depth: depth)
        default: throw Malformed(reason: "an object is of an unknown type")
        }
    }

    private mutating func array(_ offset: Int, depth: Int) throws(Malformed) -> [Any] {
        let (start, count) = try span(offset, width: referenceSize)
        var result: [Any] = []
        for element in 0..<count {
            let reference = try unsigned(at: start + element * referenceSize, size: referenceSize)
            result.append(try value(reference, depth: depth + 1))
        }
        return result
    }

    private mutating func dictionary(_ offset: Int, depth: Int) throws(Malformed) -> [String: Any] {
        let (start, count) = try span(offset, width: 2 * referenceSize)
        var result: [String: Any] = [:]
        for entry in 0..<count {
            let key = try unsigned(at: start + entry * referenceSize, size: referenceSize)
            let place = start + (count + entry) * referenceSize
            let reference = try unsigned(at: place, size: referenceSize)
            guard let name = try value(key, depth: depth + 1) as? String else {
                throw Malformed(reason: "a key is not a string")
            }
            result[name] = try value(reference, depth: depth + 1)
        }
        return result
    }

    // MARK: Parts

    /// Where the content of an object begins, and its count of elements of `width` bytes each.
    private func span(_ offset: Int, width: Int) throws(Malformed) -> (start: Int, count: Int) {
        var count = Int(bytes[offset] & 0x0f)
        var start = offset + 1
        if count == 0x0f {
            guard start < tableOffset, bytes[start] >> 4 == 1, bytes[start] & 0x0f <= 3 else {
                throw Malformed(reason: "a count is no integer")
            }
            let size = 1 << Int(bytes[start] & 0x0f)
            count = try unsigned(at: start + 1, size: size)
            start += 1 + size
        }
        guard count >= 0, start <= tableOffset, count <= (tableOffset - start) / width else {
            throw Malformed(reason: "an object is longer than the list")
        }
        return (start, count)
    }

    /// Integers of one, two and four bytes are unsigned, those of eight are signed.
    private func integer(at offset: Int, size: Int) throws(Malformed) -> Int {
        guard size == 8 else { return try unsigned(at: offset, size: size) }
        return Int(bitPattern: try word(at: offset, size: size))
    }

    private func real(at offset: Int, size: Int) throws(Malformed) -> Double {
        let word = try word(at: offset, size: size)
        return size == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
            : Double(bitPattern: UInt64(word))
    }

    private func word(at offset: Int, size: Int) throws(Malformed) -> UInt {
        guard offset >= 0, size <= 8, offset <= bytes.count - size else {
            throw Malformed(reason: "a number lies outside")
        }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt($1) }
    }

    private func unsigned(at offset: Int, size: Int) throws(Malformed) -> Int {
        try Self.unsigned(bytes, at: offset, size: size)
    }

    private static func unsigned(
        _ bytes: [UInt8],
        at offset: Int,
        size: Int
    ) throws(Malformed) -> Int {
        guard offset >= 0, offset <= bytes.count - size else {
            throw Malformed(reason: "a number lies outside")
        }
        let word = bytes[offset..<offset + size].reduce(UInt(0)) { $0 << 8 | UInt($1) }
        guard word <= UInt(Int.max) else { throw Malformed(reason: "a number is too large") }
        return Int(word)
    }
}
