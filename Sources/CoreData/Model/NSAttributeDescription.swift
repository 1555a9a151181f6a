import Foundation

/// An attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    /// The type of the attribute's values.
    open var attributeType: NSAttributeType = .undefinedAttributeType { willSet { checkMutable() } }
    /// The value of an object just inserted.
    open var defaultValue: Any? { willSet { checkMutable() } }
    /// The class of the values; known for all types but transformable ones.
    open var attributeValueClassName: String? { willSet { checkMutable() } }
    /// The transformer of a transformable attribute; nil for the secure default.
    open var valueTransformerName: String? { willSet { checkMutable() } }
    /// Whether a store may keep large binary values in files of their own.
    open var allowsExternalBinaryDataStorage = false { willSet { checkMutable() } }
    /// Whether a deletion's history keeps the value.
    open var preservesValueInHistoryOnDeletion = false { willSet { checkMutable() } }
}
