import Foundation

// The fields of objects that have no other objects in them.
extension FoundationArchive {
    static func real(_ object: ArchivedObject, _ key: String) throws(ArchiveError) -> Double {
        switch try object.value(key) {
        case .plain(.real(let real)): return real
        case .plain(.date(let seconds)): return seconds
        case .plain(.integer(let integer)): return Double(integer)
        default: throw object.malformed(key)
        }
    }

    static func data(_ object: ArchivedObject, _ key: String) throws(ArchiveError) -> Data {
        switch try object.value(key) {
        case .plain(.data(let data)): return data
        case .object(let data) where data.className.hasSuffix("Data"):
            guard case .plain(.data(let content)) = try data.value("NS.data") else {
                throw object.malformed(key)
            }
            return content
        default: throw object.malformed(key)
        }
    }

    /// A value of a kind of attributes that has one field.
    static func scalar(
        _ object: ArchivedObject,
        _ kind: any AttributeKind.Type,
        _ form: ArchivedScalar
    ) throws(ArchiveError) -> Any {
        let value: SlotValue
        switch kind.storage.form {
        case .integer, .boolean: value = .integer(Int64(try object.integer(form.field) ?? 0))
        case .real: value = .real(try real(object, form.field))
        case .text: value = .text(try object.string(form.field) ?? "")
        case .bytes: value = .bytes(try data(object, form.field))
        case .reference, .members, .volatile: throw object.malformed("$class")
        }
        // As an object, as the other classes come out.
        guard let made = kind.anyValue(value) as? NSObject else {
            throw object.malformed(form.field)
        }
        return made
    }

    /// Numbers are plain values in most archives.
    static func number(_ object: ArchivedObject) throws(ArchiveError) -> NSNumber {
        if let boolean = try object.boolean("NS.boolval") { return NSNumber(value: boolean) }
        if let integer = try object.integer("NS.intval") { return NSNumber(value: integer) }
        return NSNumber(value: try real(object, "NS.dblval"))
    }

    /// Digits of base 65,536 with the least significant first, a power of ten, and a sign; the
    /// bytes of a digit are in the order of `NS.mantissa.bo` (1 for little-endian).
    static func decimal(_ object: ArchivedObject) throws(ArchiveError) -> Decimal {
        let bytes = [UInt8](try data(object, "NS.mantissa"))
        // A `Decimal` has eight bits for its exponent, and eight digits of sixteen bits.
        guard let exponent = try object.integer("NS.exponent"), -128...127 ~= exponent,
            let length = try object.integer("NS.length"), 0...8 ~= length,
            bytes.count >= 2 * length
        else { throw object.malformed("NS.mantissa") }
        let isNegative = try object.boolean("NS.negative") ?? false
        // Foundation's `Decimal.nan` is a negative number without digits.
        if length == 0 { return isNegative ? Decimal.nan : Decimal() }
        let isBigEndian = try object.integer("NS.mantissa.bo") == 2
        var decimal = Decimal()
        for digit in (0..<length).reversed() {
            let (first, second) = (UInt16(bytes[2 * digit]), UInt16(bytes[2 * digit + 1]))
            let value = isBigEndian ? first << 8 | second : second << 8 | first
            decimal = decimal * 65_536 + Decimal(value)
        }
        let sign = isNegative ? FloatingPointSign.minus : .plus
        return Decimal(sign: sign, exponent: exponent, significand: decimal)
    }

    // MARK: Indexes

    static func indexSet(_ object: ArchivedObject) throws(ArchiveError) -> NSIndexSet {
        let rangeCount = try object.integer("NSRangeCount") ?? 0
        if rangeCount == 0 { return NSIndexSet() }
        if rangeCount == 1 {
            let location = try object.integer("NSLocation")
            let length = try object.integer("NSLength")
            return try indexSet([location ?? -1, length ?? -1], object)
        }
        return try indexSet(try numbers(object, "NSRangeData"), object)
    }

    /// The set of ranges that are given as location and length by turns.
    private static func indexSet(
        _ numbers: [Int],
        _ object: ArchivedObject
    ) throws(ArchiveError) -> NSIndexSet {
        guard numbers.count % 2 == 0 else { throw object.malformed("NSRangeData") }
        var ranges: [NSRange] = []
        for index in stride(from: 0, to: numbers.count, by: 2) {
            let (location, length) = (numbers[index], numbers[index + 1])
            // Subtracted, since the end of a crafted range could overflow.
            guard location >= 0, length >= 0, location < Int.max - length else {
                throw object.malformed("NSRangeData")
            }
            ranges.append(NSRange(location: location, length: length))
        }
        let set = NSMutableIndexSet()
        // In order: ranges that go in front of others take long.
        for range in ranges.sorted(by: { $0.location < $1.location }) { set.add(in: range) }
        return set
    }

    static func indexPath(_ object: ArchivedObject) throws(ArchiveError) -> NSIndexPath {
        let count = try object.integer("NSIndexPathLength") ?? 0
        if count == 1, let index = try object.integer("NSIndexPathValue") {
            return NSIndexPath(index: index)
        }
        let indexes = count == 0 ? [] : try numbers(object, "NSIndexPathData")
        return NSIndexPath(indexes: indexes, length: indexes.count)
    }

    /// Numbers of seven bits a byte, the lowest first; a set high bit says that more follow.
    static func numbers(_ object: ArchivedObject, _ key: String) throws(ArchiveError) -> [Int] {
        var numbers: [Int] = []
        var number: UInt64 = 0
        var shift: UInt64 = 0
        for byte in try data(object, key) {
            // Nine bytes hold all bits of an index, and no more; those of further ones would be
            // shifted out unseen.
            guard shift < 63 else { throw object.malformed(key) }
            number |= UInt64(byte & 0x7f) << shift
            shift += 7
            if byte & 0x80 == 0 {
                numbers.append(Int(number))
                (number, shift) = (0, 0)
            }
        }
        guard shift == 0 else { throw object.malformed(key) }
        return numbers
    }
}
