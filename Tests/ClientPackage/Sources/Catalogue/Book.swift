import CoreData

public final class Book: NSManagedObject {
    @NSManaged public var title: String
    @NSManaged public var year: Int32
    @NSManaged public var rating: Double
    @NSManaged public var author: Author?

    public func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard value.pointee as? String != "" else {
            throw NSError(domain: "Catalogue", code: 7)
        }
    }
}
