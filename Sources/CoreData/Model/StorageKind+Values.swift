import Foundation

extension StorageKind {
    /// The kind that a property's description asks for.
    init(_ property: NSPropertyDescription) {
        if property.isTransient {
            self = .volatile
        } else if let relationship = property as? NSRelationshipDescription {
            self = relationship.isToMany ? .toMany : .toOne
        } else if let attribute = property as? NSAttributeDescription {
            self = StorageKind(attribute.attributeType)
        } else {
            self = .volatile
        }
    }

    /// The kind of an attribute's values.
    init(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType: self = .integer16
        case .integer32AttributeType: self = .integer32
        case .integer64AttributeType: self = .integer64
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType: self = .double
        case .floatAttributeType: self = .float
        case .dateAttributeType: self = .date
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .decimalAttributeType: self = .decimal
        case .binaryDataAttributeType: self = .binary
        case .UUIDAttributeType: self = .uuid
        case .transformableAttributeType, .compositeAttributeType: self = .transformable
        default: self = .volatile
        }
    }

    /// A value from key-value access in storage form; nil if it is of another type than the
    /// attribute's.
    ///
    /// Transformable and volatile values are boxed as they are.
    func slotValue(_ value: Any?) -> SlotValue? {
        guard let value else { return .null }
        if let converted = slotValue(ofKnownType: value) { return converted }
        if value is NSNull { return .null }
        switch self {
        case .integer16, .integer32, .integer64:
            if let integer = value as? any BinaryInteger {
                return Int64(exactly: integer).map { SlotValue.integer($0) }
                    ?? SlotValue.real(Double(integer))
            }
            return (value as? NSNumber).map(StorageKind.integer)
        case .boolean:
            return (value as? NSNumber).map { .integer($0.boolValue ? 1 : 0) }
        case .double:
            return StorageKind.real(value).map { .real($0) }
        case .float:
            return StorageKind.real(value).map { .real(Double(Float($0))) }
        case .date:
            return (value as? Date).map { .real($0.timeIntervalSinceReferenceDate) }
        case .string:
            return (value as? NSString).map { .text(String(describing: $0)) }
        case .uri:
            return (value as? URL).map { .text($0.absoluteString) }
        case .decimal:
            if let decimal = value as? Decimal { return .text(decimal.description) }
            return (value as? NSNumber).map { .text($0.decimalValue.description) }
        case .binary:
            return (value as? Data).map { .bytes($0) }
        case .uuid:
            return (value as? UUID).map { uuid in
                .bytes(withUnsafeBytes(of: uuid.uuid) { Data($0) })
            }
        case .transformable, .volatile:
            return .box(ValueBox(value))
        case .toOne, .toMany:
            return nil
        }
    }

    /// The common case: a value of just the Swift type that goes with the kind. A failed cast from
    /// `Any` costs a hundred times what looking at the type costs.
    @inline(__always) private func slotValue(ofKnownType value: Any) -> SlotValue? {
        let type = Swift.type(of: value)
        switch self {
        case .integer16, .integer32, .integer64:
            if type == Int.self, let value = value as? Int { return .integer(Int64(value)) }
            if type == Int64.self, let value = value as? Int64 { return .integer(value) }
        case .boolean:
            if type == Bool.self, let value = value as? Bool { return .integer(value ? 1 : 0) }
        case .double:
            if type == Double.self, let value = value as? Double { return .real(value) }
        case .string:
            if type == String.self, let value = value as? String { return .text(value) }
        default:
            break
        }
        return nil
    }

    /// A default value in storage form; one of a foreign type counts as none.
    func slotValue(ofDefault value: Any?) -> SlotValue {
        guard self != .toOne, self != .toMany else { return .null }
        return slotValue(value) ?? .null
    }

    /// A value in storage form as key-value access returns it: numbers as `NSNumber`, decimals as
    /// `NSDecimalNumber`, the rest as Foundation's value types.
    func anyValue(_ value: SlotValue) -> Any? {
        switch value {
        case .null: return nil
        case .integer(let integer):
            return self == .boolean ? NSNumber(value: integer != 0) : number(integer)
        case .real(let real):
            if self == .date { return Date(timeIntervalSinceReferenceDate: real) }
            return self == .float ? NSNumber(value: Float(real)) : NSNumber(value: real)
        case .text(let text):
            switch self {
            case .uri: return URL(string: text)
            case .decimal:
                return NSDecimalNumber(decimal: Decimal(string: text) ?? Decimal.nan)
            default: return text
            }
        case .bytes(let data):
            guard self == .uuid else { return data }
            guard data.count == 16 else { return nil }
            return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case .reference: return nil
        case .box(let box): return (box as? ValueBox)?.value ?? box
        }
    }

    private func number(_ integer: Int64) -> NSNumber {
        switch self {
        case .integer16:
            Int16(exactly: integer).map { NSNumber(value: $0) } ?? NSNumber(value: integer)
        case .integer32:
            Int32(exactly: integer).map { NSNumber(value: $0) } ?? NSNumber(value: integer)
        default: NSNumber(value: integer)
        }
    }

    /// A number without its fraction. One that no integer holds stays a real: it is read as it was
    /// set, and validation refuses it.
    private static func integer(_ number: NSNumber) -> SlotValue {
        if let decimal = number as? NSDecimalNumber {
            let value = decimal.decimalValue
            let isHeld = value >= Decimal(Int64.min) && value <= Decimal(Int64.max)
            return isHeld ? .integer(decimal.int64Value) : .real(decimal.doubleValue)
        }
        switch UInt8(truncatingIfNeeded: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            let real = number.doubleValue
            return Int64(exactly: real.rounded(.towardZero)).map { SlotValue.integer($0) }
                ?? SlotValue.real(real)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            return Int64(exactly: number.uint64Value).map { SlotValue.integer($0) }
                ?? SlotValue.real(number.doubleValue)
        default: return .integer(number.int64Value)
        }
    }

    private static func real(_ value: Any) -> Double? {
        if let integer = value as? Int { return Double(integer) }
        if let real = value as? any BinaryFloatingPoint { return Double(real) }
        return (value as? NSNumber)?.doubleValue
    }
}
