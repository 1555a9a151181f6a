import Foundation

/// An attribute of several attributes. Its value is a dictionary of their values by name.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    // @unchecked: see NSPropertyDescription.

    /// A composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// Reads a composite attribute from an archive; see `NSPropertyDescription`.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// The attributes that it is made of.
    open var elements: [NSAttributeDescription] = [] { willSet { checkMutable() } }

    override var archivedFields: DescriptionFields {
        var fields = super.archivedFields
        fields["elements"] = elements.map(\.fieldsWithKind.values)
        return fields
    }

    override func take(_ fields: DescriptionFields) {
        super.take(fields)
        elements = fields.parts("elements")
            .compactMap { NSPropertyDescription.make($0) as? NSAttributeDescription }
    }

    override func copyAlone() -> NSPropertyDescription {
        let copy = copyAttributeFields(to: NSCompositeAttributeDescription())
        copy.elements = elements.compactMap { $0.copyAlone() as? NSAttributeDescription }
        return copy
    }
}
