/// Which values of an attribute can be those of a later version of it that has another type.
///
/// Apple's documentation names no change of type for lightweight migration, but its framework infers
/// that numbers become wider, and apps have shipped on it. Here that is done where each value stays
/// what it is; what could lose something (Integer 64 as Integer 32 or Double) is left to a mapping
/// model.
enum AttributeConversion {
    /// Whether each value of one type is one of the other.
    static func keepsValues(from source: NSAttributeType, to destination: NSAttributeType) -> Bool {
        source == destination || widerTypes[source]?.contains(destination) == true
    }

    private static let widerTypes: [NSAttributeType: Set<NSAttributeType>] = [
        .booleanAttributeType: [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .decimalAttributeType, .floatAttributeType, .doubleAttributeType,
        ],
        .integer16AttributeType: [
            .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .floatAttributeType, .doubleAttributeType,
        ],
        .integer32AttributeType: [
            .integer64AttributeType, .decimalAttributeType, .doubleAttributeType,
        ],
        .integer64AttributeType: [.decimalAttributeType],
        .floatAttributeType: [.doubleAttributeType],
    ]

    /// Whether values may be lost, rather than have no meaning in the other type at all.
    static func isLossy(from source: NSAttributeType, to destination: NSAttributeType) -> Bool {
        let numbers: Set<NSAttributeType> = [
            .booleanAttributeType, .integer16AttributeType, .integer32AttributeType,
            .integer64AttributeType, .decimalAttributeType, .floatAttributeType,
            .doubleAttributeType,
        ]
        return numbers.contains(source) && numbers.contains(destination)
            && !keepsValues(from: source, to: destination)
    }
}
