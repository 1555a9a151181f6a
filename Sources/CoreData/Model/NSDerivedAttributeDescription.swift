import Foundation

/// An attribute that the store computes when an object is saved.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    // @unchecked: see NSPropertyDescription.

    /// How the value is computed from the object, such as `photos.@count`.
    open var derivationExpression: NSExpression? { willSet { checkMutable() } }

    override var archivedFields: DescriptionFields {
        var fields = super.archivedFields
        fields["derivation"] = derivationExpression.map { DescriptionFields.archive($0) }
        return fields
    }

    override func take(_ fields: DescriptionFields) {
        super.take(fields)
        derivationExpression = fields.object("derivation", of: NSExpression.self)
    }

    override func copyAlone() -> NSPropertyDescription {
        let copy = copyAttributeFields(to: NSDerivedAttributeDescription())
        copy.derivationExpression = derivationExpression
        return copy
    }
}
