import CoreData
import Foundation

extension Book {

    @nonobjc class func fetchRequest() -> NSFetchRequest<Book> {
        return NSFetchRequest<Book>(entityName: "Book")
    }

    @NSManaged var added: Date?
    @NSManaged var isbn: String
    @NSManaged var isRead: Bool
    @NSManaged var pages: Int32
    @NSManaged var rating: NSNumber?
    @NSManaged var title: String
    @NSManaged var author: Author?
    @NSManaged var shelves: Set<Shelf>?

}
