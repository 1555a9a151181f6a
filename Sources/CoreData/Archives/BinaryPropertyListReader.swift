import Foundation

/// Reads binary property lists that may have been made to do harm.
///
/// The form is that of `CFBinaryPList.c`, as its opening comment describes it: header, objects,
/// table of offsets, trailer of 32 bytes. Every offset and count is checked. Objects that are
/// shared are read again for each reference, and a list has a byte at least for each reference, so
/// that more values than bytes mean a list made to multiply.
struct BinaryPropertyListReader {
    /// A string or data that is read more often than once is kept from here on, since copies of
    /// long ones would multiply.
    private static let keptByteCount = 64

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let tableOffset: Int
    private var valueCount = 0
    private var kept: [Int: PropertyListValue] = [:]
    /// The keys of dictionaries, each of which many dictionaries have.
    private var keys: [Int: String] = [:]

    static func read(_ data: Data) throws(ArchiveError) -> PropertyListValue {
        var reader = try BinaryPropertyListReader(data)
        let root = try reader.unsigned(at: data.count - 16, size: 8)
        return try reader.value(root, depth: 0)
    }

    private init(_ data: Data) throws(ArchiveError) {
        bytes = [UInt8](data)
        guard bytes.count >= 40, bytes.starts(with: "bplist0".utf8) else {
            throw ArchiveError(reason: "it is too short for a binary property list")
        }
        // Six bytes that mean nothing here, the two sizes, then the number of objects, the root and
        // the place of the table, in eight bytes each.
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize else {
            throw ArchiveError(reason: "its trailer has impossible sizes")
        }
        objectCount = try Self.unsigned(bytes, at: trailer + 8, size: 8)
        tableOffset = try Self.unsigned(bytes, at: trailer + 24, size: 8)
        // In this order: the product can't overflow once the count is bounded.
        guard objectCount >= 1, objectCount <= bytes.count, tableOffset >= 9,
            tableOffset <= trailer, objectCount * offsetSize <= trailer - tableOffset
        else { throw ArchiveError(reason: "its table of objects lies outside") }
    }

    private mutating func value(
        _ reference: Int,
        depth: Int
    ) throws(ArchiveError) -> PropertyListValue {
        // Circles end at one of these limits too, so no list of open objects is needed. Values that
        // are kept count each time as well.
        valueCount += 1
        guard valueCount <= bytes.count, depth <= PropertyList.maximumDepth else {
            throw ArchiveError(reason: "its values are nested too deep, or refer to each other")
        }
        guard reference < objectCount else {
            throw ArchiveError(reason: "it refers to an object that is not there")
        }
        if let known = kept[reference] { return known }
        let offset = try unsigned(at: tableOffset + reference * offsetSize, size: offsetSize)
        guard offset >= 8, offset < tableOffset else {
            throw ArchiveError(reason: "an object lies outside")
        }
        switch bytes[offset] >> 4 {
        case 0xA: return .array(try array(offset, depth: depth))
        case 0xD: return .dictionary(try dictionary(offset, depth: depth))
        case 0x4, 0x5, 0x6, 0x7:
            let (value, byteCount) = try run(offset)
            if byteCount >= Self.keptByteCount { kept[reference] = value }
            return value
        default: return try number(offset)
        }
    }

    // MARK: Kinds of values

    private func number(_ offset: Int) throws(ArchiveError) -> PropertyListValue {
        let marker = bytes[offset]
        let low = Int(marker & 0x0f)
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return .boolean(false)
        case 0x0 where marker == 0x09: return .boolean(true)
        case 0x1 where low <= 4: return try integer(at: offset + 1, size: 1 << low)
        case 0x2 where low == 2 || low == 3: return .real(try real(at: offset + 1, size: 1 << low))
        case 0x3 where low == 3:
            let seconds = try real(at: offset + 1, size: 8)
            // The description of a date that is not a number would stop the process.
            guard !seconds.isNaN else { throw ArchiveError(reason: "a date is not a number") }
            return .date(seconds)
        case 0x8 where low <= 7: return .reference(try unsigned(at: offset + 1, size: low + 1))
        default: throw ArchiveError(reason: "an object is of an unknown type")
        }
    }

    /// A string or data, and the number of its bytes.
    private func run(_ offset: Int) throws(ArchiveError) -> (PropertyListValue, Int) {
        let kind = bytes[offset] >> 4
        let width = kind == 0x6 ? 2 : 1
        let (start, count) = try span(offset, width: width)
        let content = bytes[start..<start + count * width]
        switch kind {
        case 0x4: return (.data(Data(content)), content.count)
        case 0x6:
            // Half a surrogate pair, which a string that was cut may end with, is repaired.
            let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map {
                UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
            }
            return (.string(String(decoding: units, as: UTF16.self)), content.count)
        default:
            guard let string = String(validating: content, as: UTF8.self) else {
                throw ArchiveError(reason: "a string is not valid UTF-8")
            }
            return (.string(string), content.count)
        }
    }

    private mutating func array(
        _ offset: Int,
        depth: Int
    ) throws(ArchiveError) -> [PropertyListValue] {
        let (start, count) = try span(offset, width: referenceSize)
        var result: [PropertyListValue] = []
        // No room is reserved: arrays that lie over each other in a list made to do harm could ask for
        // that of all its bytes at each depth.
        for element in 0..<count {
            let reference = try unsigned(at: start + element * referenceSize, size: referenceSize)
            result.append(try value(reference, depth: depth + 1))
        }
        return result
    }

    private mutating func dictionary(
        _ offset: Int,
        depth: Int
    ) throws(ArchiveError) -> [String: PropertyListValue] {
        let (start, count) = try span(offset, width: 2 * referenceSize)
        var result: [String: PropertyListValue] = [:]
        for entry in 0..<count {
            let key = try unsigned(at: start + entry * referenceSize, size: referenceSize)
            let place = start + (count + entry) * referenceSize
            let reference = try unsigned(at: place, size: referenceSize)
            let name = try self.key(key, depth: depth + 1)
            result[name] = try value(reference, depth: depth + 1)
        }
        return result
    }

    private mutating func key(_ reference: Int, depth: Int) throws(ArchiveError) -> String {
        if let known = keys[reference] { return known }
        guard let name = try value(reference, depth: depth).string else {
            throw ArchiveError(reason: "a key is not a string")
        }
        keys[reference] = name
        return name
    }

    // MARK: Parts

    /// Where the content of an object begins, and its count of elements of `width` bytes each.
    private func span(_ offset: Int, width: Int) throws(ArchiveError) -> (start: Int, count: Int) {
        var count = Int(bytes[offset] & 0x0f)
        var start = offset + 1
        if count == 0x0f {
            guard start < tableOffset, bytes[start] >> 4 == 1, bytes[start] & 0x0f <= 3 else {
                throw ArchiveError(reason: "a count is no integer")
            }
            let size = 1 << Int(bytes[start] & 0x0f)
            count = try unsigned(at: start + 1, size: size)
            start += 1 + size
        }
        // Divided, since the product of a crafted count and the width could overflow.
        guard start <= tableOffset, count <= (tableOffset - start) / width else {
            throw ArchiveError(reason: "an object is longer than the list")
        }
        return (start, count)
    }

    /// Integers of one, two and four bytes are unsigned, those of eight are signed, and those of
    /// sixteen are written for unsigned ones of eight.
    private func integer(at offset: Int, size: Int) throws(ArchiveError) -> PropertyListValue {
        guard size == 16 else {
            return .integer(Int64(bitPattern: try word(at: offset, size: size)))
        }
        let (high, low) = (try word(at: offset, size: 8), try word(at: offset + 8, size: 8))
        switch high {
        case 0: return low > UInt64(Int64.max) ? .unsigned(low) : .integer(Int64(low))
        // A negative number of sixteen bytes has nothing but ones in its upper half.
        case .max where low > UInt64(Int64.max): return .integer(Int64(bitPattern: low))
        default: throw ArchiveError(reason: "a number is too large")
        }
    }

    private func real(at offset: Int, size: Int) throws(ArchiveError) -> Double {
        let word = try word(at: offset, size: size)
        return size == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
            : Double(bitPattern: word)
    }

    private func word(at offset: Int, size: Int) throws(ArchiveError) -> UInt64 {
        try Self.word(bytes, at: offset, size: size)
    }

    private func unsigned(at offset: Int, size: Int) throws(ArchiveError) -> Int {
        try Self.unsigned(bytes, at: offset, size: size)
    }

    private static func unsigned(
        _ bytes: [UInt8],
        at offset: Int,
        size: Int
    ) throws(ArchiveError) -> Int {
        guard let number = Int(exactly: try word(bytes, at: offset, size: size)) else {
            throw ArchiveError(reason: "a number is too large")
        }
        return number
    }

    private static func word(
        _ bytes: [UInt8],
        at offset: Int,
        size: Int
    ) throws(ArchiveError) -> UInt64 {
        guard offset >= 0, size <= 8, offset <= bytes.count - size else {
            throw ArchiveError(reason: "a number lies outside")
        }
        // Not reduced: builds for debugging call a function for each byte then, and this is most of what
        // reading a list is.
        var word: UInt64 = 0
        var index = offset
        while index < offset + size {
            word = word << 8 | UInt64(bytes[index])
            index += 1
        }
        return word
    }
}
