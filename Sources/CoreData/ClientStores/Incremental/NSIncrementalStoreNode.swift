import Foundation

/// The values of one object of an incremental store, at one version.
///
/// > Threading: Confined to whoever has it; the store's caller copies what is in it.
open class NSIncrementalStoreNode: NSObject {
    /// The ID of the object.
    open private(set) var objectID: NSManagedObjectID
    /// Counts the changes of the object: two nodes with one version are the same.
    open private(set) var version: UInt64
    /// By property name.
    private(set) var values: [String: Any]

    /// Makes a node.
    ///
    /// - Parameter values: Attributes by name, with values of key-value access; to-one
    ///   relationships as `NSManagedObjectID`. `NSNull` stands for no value; a to-one relationship
    ///   that is missing is asked for with `newValue(forRelationship:forObjectWith:with:)`.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
        super.init()
    }

    /// Replaces values, those that are missing stay.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values.merge(values) { $1 }
        self.version = version
    }

    /// The value of an attribute, or the ID of a to-one relationship; `NSNull` for none, nil if the
    /// node does not know it.
    @discardableResult
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
