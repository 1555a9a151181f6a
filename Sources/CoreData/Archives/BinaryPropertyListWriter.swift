import Foundation

/// Writes binary property lists; the same value always gives the same bytes.
///
/// As Apple's writer does, values without parts that are equal stand in the list once.
struct BinaryPropertyListWriter {
    private enum Node {
        case bytes([UInt8])
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var nodes: [Node] = []
    private var known: [[UInt8]: Int] = [:]

    static func data(_ value: PropertyListValue) -> Data {
        var writer = BinaryPropertyListWriter()
        _ = writer.add(value)
        return writer.assembled()
    }

    /// Puts a value and all that is in it into the list, the value before its parts.
    private mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .array(let elements):
            // Before its parts, so that the root is object 0, as the trailer says.
            let place = reserve()
            nodes[place] = .array(elements.map { add($0) })
            return place
        case .dictionary(let entries):
            let place = reserve()
            // A dictionary's own order differs from run to run, and equal values must give equal
            // bytes.
            let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            let keys = sorted.map { add(.string($0.key)) }
            nodes[place] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
            return place
        default:
            // The bytes begin with a marker of the type, so that values of different types never
            // meet.
            let bytes = Self.bytes(value)
            if let place = known[bytes] { return place }
            let place = reserve()
            nodes[place] = .bytes(bytes)
            known[bytes] = place
            return place
        }
    }

    private mutating func reserve() -> Int {
        nodes.append(.bytes([]))
        return nodes.count - 1
    }

    // MARK: Bytes

    private func assembled() -> Data {
        let referenceSize = Self.size(nodes.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for node in nodes {
            offsets.append(bytes.count)
            switch node {
            case .bytes(let content): bytes += content
            case .array(let elements):
                bytes += Self.marker(0xA, elements.count)
                for element in elements { bytes += Self.bigEndian(element, referenceSize) }
            case .dictionary(let keys, let values):
                bytes += Self.marker(0xD, keys.count)
                for place in keys + values { bytes += Self.bigEndian(place, referenceSize) }
            }
        }
        let tableOffset = bytes.count
        let offsetSize = Self.size(tableOffset)
        for offset in offsets { bytes += Self.bigEndian(offset, offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [nodes.count, 0, tableOffset] { bytes += Self.bigEndian(number, 8) }
        return Data(bytes)
    }

    private static func bytes(_ value: PropertyListValue) -> [UInt8] {
        switch value {
        case .boolean(let boolean): return [boolean ? 0x09 : 0x08]
        case .integer(let integer): return integerBytes(integer)
        case .unsigned(let unsigned):
            // Sixteen bytes, since eight would be read as a signed number.
            return [0x14] + bigEndian(0, 8) + (0..<8).map { UInt8(unsigned >> (56 - 8 * $0) & 255) }
        case .real(let real): return [0x23] + bigEndian(Int(bitPattern: UInt(real.bitPattern)), 8)
        case .date(let date): return [0x33] + bigEndian(Int(bitPattern: UInt(date.bitPattern)), 8)
        case .data(let data): return marker(0x4, data.count) + data
        case .string(let string):
            let utf8 = Array(string.utf8)
            if utf8.allSatisfy({ $0 < 0x80 }) { return marker(0x5, utf8.count) + utf8 }
            let units = Array(string.utf16)
            return marker(0x6, units.count) + units.flatMap { bigEndian(Int($0), 2) }
        case .reference(let place):
            let size = size(place)
            return [0x80 | UInt8(size - 1)] + bigEndian(place, size)
        // These are nodes of their own and never get here.
        case .array, .dictionary: return []
        }
    }

    /// Negative integers take eight bytes, since shorter ones are unsigned.
    private static func integerBytes(_ integer: Int64) -> [UInt8] {
        let size = integer < 0 ? 8 : size(Int(integer))
        return [0x10 | UInt8(size.trailingZeroBitCount)] + bigEndian(Int(integer), size)
    }

    private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15] + integerBytes(Int64(count))
    }

    private static func bigEndian(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
    }

    /// 1, 2, 4 or 8: the bytes that a number needs.
    private static func size(_ number: Int) -> Int {
        switch number {
        case ..<0x100: 1
        case ..<0x1_0000: 2
        case ..<0x1_0000_0000: 4
        default: 8
        }
    }
}
