import Foundation

/// An attribute of an entity.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    // @unchecked: see NSPropertyDescription.

    /// The type of the attribute's values.
    open var attributeType: NSAttributeType = .undefinedAttributeType { willSet { checkMutable() } }
    /// The value of an object just inserted.
    open var defaultValue: Any? { willSet { checkMutable() } }
    private var givenValueClassName: String?
    /// The class of the values: known for all types but transformable and undefined ones.
    open var attributeValueClassName: String? {
        get { givenValueClassName ?? attributeType.valueClassName }
        set {
            checkMutable()
            givenValueClassName = newValue
        }
    }
    /// The transformer of a transformable attribute; nil for the secure default.
    open var valueTransformerName: String? { willSet { checkMutable() } }
    /// Whether a store may keep large binary values in files of their own.
    open var allowsExternalBinaryDataStorage = false { willSet { checkMutable() } }
    /// Whether a deletion's history keeps the value.
    open var preservesValueInHistoryOnDeletion = false { willSet { checkMutable() } }
    /// Whether CloudKit should encrypt the value.
    ///
    /// Kept, without effect.
    open var allowsCloudEncryption = false { willSet { checkMutable() } }

    /// The limits of the values that a model file gives.
    var bounds = AttributeBounds() { willSet { checkMutable() } }
    /// Whether a generated class has a scalar in place of an `NSNumber`.
    var usesScalarValueType = false { willSet { checkMutable() } }

    /// The predicates that a value must satisfy to be saved: those that say the limits of a model
    /// file, then those that were set.
    open override var validationPredicates: [NSPredicate] {
        bounds.predicates.map(\.predicate) + givenPredicates
    }
    /// For each validation predicate, the error: its code, or the warning that was set.
    open override var validationWarnings: [Any] {
        bounds.predicates.map { NSNumber(value: $0.failure.rawValue) } + givenWarnings
    }

    /// Sets the predicates and the parallel list of warnings, in place of limits from a model
    /// file.
    open override func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?,
        withValidationWarnings validationWarnings: [String]?
    ) {
        super.setValidationPredicates(
            validationPredicates,
            withValidationWarnings: validationWarnings
        )
        // The bounds are among the predicates that this replaces.
        bounds = AttributeBounds()
    }

    /// A hash over everything about the attribute that stores depend on.
    open override var versionHash: Data { ModelVersion.hash(of: self) }

    override var archivedFields: DescriptionFields {
        var fields = commonFields
        fields["type"] = Int(attributeType.rawValue)
        fields["default"] = defaultValue
        fields["valueClass"] = givenValueClassName
        fields["transformer"] = valueTransformerName
        if allowsExternalBinaryDataStorage { fields["allowsExternalStorage"] = true }
        if preservesValueInHistoryOnDeletion { fields["preservesInHistory"] = true }
        if allowsCloudEncryption { fields["allowsCloudEncryption"] = true }
        if usesScalarValueType { fields["usesScalar"] = true }
        fields["bounds"] = bounds.archivedFields.values
        return fields
    }

    override func take(_ fields: DescriptionFields) {
        takeCommon(fields)
        attributeType =
            NSAttributeType(rawValue: UInt(clamping: fields.integer("type") ?? 0))
            ?? .undefinedAttributeType
        defaultValue = fields["default"].map(DescriptionFields.native)
        givenValueClassName = fields.text("valueClass")
        valueTransformerName = fields.text("transformer")
        allowsExternalBinaryDataStorage = fields.isSet("allowsExternalStorage")
        preservesValueInHistoryOnDeletion = fields.isSet("preservesInHistory")
        allowsCloudEncryption = fields.isSet("allowsCloudEncryption")
        usesScalarValueType = fields.isSet("usesScalar")
        bounds = AttributeBounds(DescriptionFields(fields["bounds"]))
    }

    override func copyAlone() -> NSPropertyDescription {
        copyAttributeFields(to: NSAttributeDescription())
    }

    func copyAttributeFields<Attribute: NSAttributeDescription>(to copy: Attribute) -> Attribute {
        copy.attributeType = attributeType
        copy.defaultValue = defaultValue
        copy.givenValueClassName = givenValueClassName
        copy.valueTransformerName = valueTransformerName
        copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        copy.allowsCloudEncryption = allowsCloudEncryption
        copy.bounds = bounds
        copy.usesScalarValueType = usesScalarValueType
        return copyFields(to: copy)
    }
}

extension NSAttributeType {
    /// The class of the values; nil where the type does not say.
    var valueClassName: String? { AttributeKinds.kind(of: self).valueClassName }
}
