import CoreData
import Foundation

#if canImport(ObjectiveC)
@objc(Book)
#endif
class Book: NSManagedObject {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(), forKey: "added")
    }

    /// The letter under which a list shows the book.
    #if canImport(ObjectiveC)
    @objc
    #endif
    var initial: String {
        willAccessValue(forKey: "initial")
        defer { didAccessValue(forKey: "initial") }
        return String(title.prefix(1)).uppercased()
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        guard pages >= 0 else {
            throw NSError(
                domain: "Library",
                code: 1,
                userInfo: [NSLocalizedDescriptionKey: "A book can't have \(pages) pages."]
            )
        }
    }
}
