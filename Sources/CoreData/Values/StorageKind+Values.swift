import Foundation

// From key-value access to rows and back.
extension StorageKind {
    /// The kind of an attribute's values.
    init(_ type: NSAttributeType) { self = AttributeKinds.kind(of: type).storage }

    /// A value from key-value access in storage form; nil if it is of another type than the
    /// attribute's.
    ///
    /// Transformable and volatile values are boxed as they are.
    func slotValue(_ value: Any?) -> SlotValue? {
        guard let value else { return .null }
        if let converted = slotValue(ofKnownType: value) { return converted }
        // After the known types, since this is a cast that mostly fails.
        if value is NSNull { return .null }
        return AttributeKinds.kind(of: self)?.slotValue(value)
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
        guard AttributeKinds.kind(of: self) != nil else { return .null }
        return slotValue(value) ?? .null
    }

    /// A value in storage form as key-value access returns it.
    func anyValue(_ value: SlotValue) -> Any? {
        switch value {
        case .null, .reference: nil
        case .box(let box): (box as? ValueBox)?.value ?? box
        default: AttributeKinds.kind(of: self)?.anyValue(value)
        }
    }

    /// A value in storage form as comparisons see it.
    func queryValue(_ value: SlotValue) -> QueryValue {
        switch value {
        case .null, .reference, .box: .null
        default: AttributeKinds.kind(of: self)?.queryValue(value) ?? .null
        }
    }
}
