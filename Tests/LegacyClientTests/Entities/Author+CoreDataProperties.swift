import CoreData
import Foundation

extension Author {

    @nonobjc class func fetchRequest() -> NSFetchRequest<Author> {
        return NSFetchRequest<Author>(entityName: "Author")
    }

    @NSManaged var name: String
    @NSManaged var books: NSSet?

}

// MARK: Generated accessors for books
extension Author {

    #if canImport(ObjectiveC)
    @objc(addBooksObject:)
    #endif
    @NSManaged func addToBooks(_ value: Book)

    #if canImport(ObjectiveC)
    @objc(removeBooksObject:)
    #endif
    @NSManaged func removeFromBooks(_ value: Book)

    #if canImport(ObjectiveC)
    @objc(addBooks:)
    #endif
    @NSManaged func addToBooks(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeBooks:)
    #endif
    @NSManaged func removeFromBooks(_ values: NSSet)

}
