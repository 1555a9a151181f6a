import CoreData

#if canImport(ObjectiveC)
@objc(Book)
#endif
final class Book: NSManagedObject {
    @NSManaged var title: String?
    @NSManaged var author: String?
    @NSManaged var year: Int16
    @NSManaged var stars: Int16
}

extension Book {
    /// The model, in code.
    static let model: NSManagedObjectModel = {
        let title = attribute("title", .stringAttributeType)
        title.isOptional = false
        let stars = attribute("stars", .integer16AttributeType)
        stars.setValidationPredicates(
            [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF <= 5")],
            withValidationWarnings: ["Stars are 0 or more.", "There are 5 stars at most."]
        )
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = NSStringFromClass(Book.self)
        // An import updates the book that has a record's title, or adds one.
        book.userInfo = ["relatedByAttribute": "title"]
        book.properties = [
            title, attribute("author", .stringAttributeType),
            attribute("year", .integer16AttributeType), stars,
        ]
        let model = NSManagedObjectModel()
        model.entities = [book]
        return model
    }()

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    /// The book in a line.
    var line: String {
        let from = [author, year == 0 ? nil : String(year)].compactMap { $0 }
        let about = from.isEmpty ? "" : " (" + from.joined(separator: ", ") + ")"
        let rating =
            (1...5).contains(stars)
            ? " " + String(repeating: "*", count: Int(stars)) : stars == 0 ? "" : " \(stars) stars"
        return (title ?? "untitled") + about + rating
    }
}
