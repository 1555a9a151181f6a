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

/// What becomes of the objects at the other end when an object is deleted.
public enum NSDeleteRule: UInt, Sendable {
    /// Nothing: they keep pointing at the object that is gone.
    case noActionDeleteRule = 0
    /// They no longer point at it.
    case nullifyDeleteRule = 1
    /// They are deleted too.
    case cascadeDeleteRule = 2
    /// The object can't be deleted while there are any: the save fails.
    case denyDeleteRule = 3
}
