extension NSAttributeDescription {
    /// The type of an attribute's values, with short names.
    public typealias AttributeType = NSAttributeType.Name

    /// The type of the attribute's values, with short names.
    public var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }
}
