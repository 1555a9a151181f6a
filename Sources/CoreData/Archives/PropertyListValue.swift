import Foundation

/// A value of a property list, as its bytes say it.
indirect enum PropertyListValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    /// An integer that is too large for `integer`.
    case unsigned(UInt64)
    case real(Double)
    /// In seconds since the reference date.
    case date(Double)
    case data(Data)
    case string(String)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
    /// A place in the list of objects of a keyed archive (`CF$UID`).
    case reference(Int)

    subscript(_ key: String) -> PropertyListValue? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries[key]
    }

    var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    var data: Data? {
        guard case .data(let data) = self else { return nil }
        return data
    }

    /// An integer, or a real number that is one.
    var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .real(let real): Int64(exactly: real)
        default: nil
        }
    }

    /// A Boolean, or a number other than zero.
    var boolean: Bool? {
        switch self {
        case .boolean(let boolean): boolean
        case .integer(let integer): integer != 0
        default: nil
        }
    }

    // MARK: Values of clients

    /// The value as clients get it: `String`, `Int`, `Double`, `Bool`, `Date`, `Data`, `[Any]` or
    /// `[String: Any]`; a reference counts as its number.
    var anyValue: Any {
        switch self {
        case .boolean(let boolean): boolean
        case .integer(let integer): Int(integer)
        case .unsigned(let unsigned): UInt(unsigned)
        case .real(let real): real
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): data
        case .string(let string): string
        case .array(let elements): elements.map(\.anyValue)
        case .dictionary(let entries): entries.mapValues(\.anyValue)
        case .reference(let place): place
        }
    }

    /// The form of a client's value; nil if it, or something in it, is no property list, or if it
    /// is nested more than ``PropertyList/maximumDepth`` deep.
    init?(_ value: Any, depth: Int = 0) {
        guard depth <= PropertyList.maximumDepth else { return nil }
        if let plain = Self.plain(value) {
            self = plain
        } else if let entries = value as? [String: Any] {
            let values = entries.compactMapValues { Self($0, depth: depth + 1) }
            guard values.count == entries.count else { return nil }
            self = .dictionary(values)
        } else if let elements = value as? [Any] {
            let values = elements.compactMap { Self($0, depth: depth + 1) }
            guard values.count == elements.count else { return nil }
            self = .array(values)
        } else {
            return nil
        }
    }

    /// The form of a value that has no parts; nil for another.
    static func plain(_ value: Any) -> PropertyListValue? {
        switch value {
        // By exact type first: a number is also a Boolean to a cast if it is 0 or 1.
        case let number as NSNumber where type(of: value) is NSNumber.Type: Self.number(number)
        case let boolean as Bool where type(of: value) == Bool.self: .boolean(boolean)
        case let string as String: .string(string)
        case let date as Date where !date.timeIntervalSinceReferenceDate.isNaN:
            .date(date.timeIntervalSinceReferenceDate)
        case let data as Data: .data(data)
        case let integer as any BinaryInteger: whole(integer)
        case let real as any BinaryFloatingPoint: .real(Double(real))
        case let number as NSNumber: Self.number(number)
        default: nil
        }
    }

    private static func whole(_ integer: any BinaryInteger) -> PropertyListValue? {
        if let small = Int64(exactly: integer) { return .integer(small) }
        return UInt64(exactly: integer).map { .unsigned($0) }
    }

    /// Foundation's numbers say what they were made of by the code of the C type.
    static func number(_ number: NSNumber) -> PropertyListValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"): .boolean(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .real(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max):
            .unsigned(number.uint64Value)
        default: .integer(number.int64Value)
        }
    }
}
