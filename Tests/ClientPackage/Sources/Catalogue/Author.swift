import CoreData

open class Author: NSManagedObject {
    @NSManaged public var name: String
    @NSManaged public var books: Set<Book>

    @NSManaged public func addToBooks(_ value: Book)
    @NSManaged public func removeFromBooks(_ value: Book)
    @NSManaged public func addToBooks(_ values: NSSet)

    /// Found by key-value coding, though the model lacks it.
    public var initial: String { String(name.prefix(1)) }

    public class func keyPathsForValuesAffectingInitial() -> NSSet { NSSet(object: "name") }
}
