extension NSAttributeDescription {
    /// The type of an attribute's values, with short names.
    public struct AttributeType: Hashable, RawRepresentable, Sendable {
        /// The type as ``NSAttributeDescription/attributeType`` has it.
        public let rawValue: NSAttributeType
        /// Makes the short-named form of a type.
        public init(rawValue: NSAttributeType) { self.rawValue = rawValue }

        /// No type; for transient attributes only.
        public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
        /// A 16-bit integer.
        public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
        /// A 32-bit integer.
        public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
        /// A 64-bit integer.
        public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
        /// A decimal number.
        public static let decimal = AttributeType(rawValue: .decimalAttributeType)
        /// A 64-bit floating-point number.
        public static let double = AttributeType(rawValue: .doubleAttributeType)
        /// A 32-bit floating-point number.
        public static let float = AttributeType(rawValue: .floatAttributeType)
        /// A string.
        public static let string = AttributeType(rawValue: .stringAttributeType)
        /// True or false.
        public static let boolean = AttributeType(rawValue: .booleanAttributeType)
        /// A date.
        public static let date = AttributeType(rawValue: .dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
        /// A URI.
        public static let uri = AttributeType(rawValue: .URIAttributeType)
        /// A value that a value transformer makes bytes of.
        public static let transformable = AttributeType(rawValue: .transformableAttributeType)
        /// The ID of an object.
        public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
        /// A value of several attributes.
        public static let composite = AttributeType(rawValue: .compositeAttributeType)
    }

    /// The type of the attribute's values, with short names.
    public var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }
}
