/// Which values of an attribute can be those of a later version of it that has another type.
///
/// Apple's documentation names no change of type for lightweight migration, but its framework infers
/// that numbers become wider, and apps have shipped on it. Here that is done where each value stays
/// what it is, and where apps rely on it: an Integer 64 as Double, which rounds what needs more than
/// 53 bits. What else could lose something (Integer 64 as Integer 32) is left to a mapping model.
enum AttributeConversion {
    /// Whether the values of one type can be those of the other.
    static func keepsValues(from source: NSAttributeType, to destination: NSAttributeType) -> Bool {
        source == destination
            || AttributeKinds.kind(of: source).widerTypes.contains(destination)
    }

    /// Whether values may be lost, rather than have no meaning in the other type at all.
    static func isLossy(from source: NSAttributeType, to destination: NSAttributeType) -> Bool {
        [source, destination].allSatisfy { $0 == .booleanAttributeType || $0.isNumber }
            && !keepsValues(from: source, to: destination)
    }
}

extension NSAttributeType {
    /// Whether the values are numbers, and no dates.
    var isNumber: Bool {
        switch AttributeKinds.kind(of: self).bounds {
        case .integers, .reals, .floats, .decimals: true
        case .none, .dates, .texts: false
        }
    }
}
