/// The type of an attribute's values; the raw values are what model files and version hashes hold.
public enum NSAttributeType: UInt, Sendable {
    /// None; for transient attributes, which may hold any object.
    case undefinedAttributeType = 0
    /// Whole numbers of 16 bits.
    case integer16AttributeType = 100
    /// Whole numbers of 32 bits.
    case integer32AttributeType = 200
    /// Whole numbers of 64 bits.
    case integer64AttributeType = 300
    /// Decimal numbers, `NSDecimalNumber`.
    case decimalAttributeType = 400
    /// Floating-point numbers of 64 bits.
    case doubleAttributeType = 500
    /// Floating-point numbers of 32 bits.
    case floatAttributeType = 600
    /// Texts, `String`.
    case stringAttributeType = 700
    /// True and false.
    case booleanAttributeType = 800
    /// Points in time, `Date`.
    case dateAttributeType = 900
    /// Bytes, `Data`.
    case binaryDataAttributeType = 1000
    /// Identifiers, `UUID`.
    case UUIDAttributeType = 1100
    /// Locations, `URL`.
    case URIAttributeType = 1200
    /// Objects of any class that a value transformer turns into `Data`.
    case transformableAttributeType = 1800
    /// Object IDs; for results of fetch requests, not for attributes of entities.
    case objectIDAttributeType = 2000
    /// Dictionaries of further attributes; see ``NSCompositeAttributeDescription``.
    case compositeAttributeType = 2100
}

extension NSAttributeType {
    /// The types with short names; ``NSAttributeDescription/AttributeType`` in Apple's API.
    public struct Name: Hashable, RawRepresentable, Sendable {
        /// The type as ``NSAttributeDescription/attributeType`` has it.
        public let rawValue: NSAttributeType
        /// Makes the short-named form of a type.
        public init(rawValue: NSAttributeType) { self.rawValue = rawValue }
    }
}

/// The table of attribute kinds. A new kind is a file that conforms to `AttributeKind`, a case
/// above, and a line here.
enum AttributeKinds {
    static let all: [any AttributeKind.Type] = [
        // The order tells: of several kinds with one form of storage the first stands for all.
        UndefinedKind.self,
        Integer16Kind.self,
        Integer32Kind.self,
        Integer64Kind.self,
        DecimalKind.self,
        DoubleKind.self,
        FloatKind.self,
        StringKind.self,
        BooleanKind.self,
        DateKind.self,
        BinaryKind.self,
        UUIDKind.self,
        URIKind.self,
        TransformableKind.self,
        ObjectIDKind.self,
        CompositeKind.self,
    ]
}
