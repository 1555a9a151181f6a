import CoreData
import Foundation

extension Shelf {

    @nonobjc class func fetchRequest() -> NSFetchRequest<Shelf> {
        return NSFetchRequest<Shelf>(entityName: "Shelf")
    }

    @NSManaged var name: String
    @NSManaged var books: NSOrderedSet?

}

// MARK: Generated accessors for books
extension Shelf {

    #if canImport(ObjectiveC)
    @objc(insertObject:inBooksAtIndex:)
    #endif
    @NSManaged func insertIntoBooks(_ value: Book, at idx: Int)

    #if canImport(ObjectiveC)
    @objc(removeObjectFromBooksAtIndex:)
    #endif
    @NSManaged func removeFromBooks(at idx: Int)

    #if canImport(ObjectiveC)
    @objc(insertBooks:atIndexes:)
    #endif
    @NSManaged func insertIntoBooks(_ values: [Book], at indexes: NSIndexSet)

    #if canImport(ObjectiveC)
    @objc(removeBooksAtIndexes:)
    #endif
    @NSManaged func removeFromBooks(at indexes: NSIndexSet)

    #if canImport(ObjectiveC)
    @objc(replaceObjectInBooksAtIndex:withObject:)
    #endif
    @NSManaged func replaceBooks(at idx: Int, with value: Book)

    #if canImport(ObjectiveC)
    @objc(replaceBooksAtIndexes:withBooks:)
    #endif
    @NSManaged func replaceBooks(at indexes: NSIndexSet, with values: [Book])

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
    @NSManaged func addToBooks(_ values: NSOrderedSet)

    #if canImport(ObjectiveC)
    @objc(removeBooks:)
    #endif
    @NSManaged func removeFromBooks(_ values: NSOrderedSet)

}
