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

    /// The attributes that it is made of.
    open var elements: [NSAttributeDescription] = [] { willSet { checkMutable() } }

    override func copyAlone() -> NSPropertyDescription {
        let copy = copyAttributeFields(to: NSCompositeAttributeDescription())
        copy.elements = elements.compactMap { $0.copyAlone() as? NSAttributeDescription }
        return copy
    }
}
