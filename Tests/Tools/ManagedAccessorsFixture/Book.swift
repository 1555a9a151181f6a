import CoreData

public class Book: NSManagedObject {
    @NSManaged public var pages: Int32
    @NSManaged public var author: Author?
    @NSManaged public var chapters: NSOrderedSet?
    @NSManaged public var owner: Author
    @NSManaged private var primitiveName: String?
    @NSManaged private func setPrimitivePages(_ value: Int32)

    /// With accessors written by hand.
    public var name: String? {
        get {
            willAccessValue(forKey: "name")
            defer { didAccessValue(forKey: "name") }
            return primitiveName
        }
        set {
            willChangeValue(forKey: "name")
            primitiveName = newValue?.uppercased()
            didChangeValue(forKey: "name")
        }
    }

    public func setPagesQuietly(_ pages: Int32) { setPrimitivePages(pages) }
}

/// A class of the same module beneath another one.
public final class Novel: Book {
    @NSManaged public var genre: String?; @NSManaged public var year: Int16
}

public class Chapter: NSManagedObject {
    @NSManaged public var heading: String?
    @NSManaged public var book: Book?
}

extension Book {
    @NSManaged public func insertIntoChapters(_ value: Chapter, at idx: Int)
    @NSManaged public func removeFromChapters(at idx: Int)
    @NSManaged public func insertIntoChapters(_ values: [Chapter], at indexes: NSIndexSet)
    @NSManaged public func removeFromChapters(at indexes: NSIndexSet)
    @NSManaged public func replaceChapters(at idx: Int, with value: Chapter)
    @NSManaged public func replaceChapters(at indexes: NSIndexSet, with values: [Chapter])
    @NSManaged public func addToChapters(_ value: Chapter)
    @NSManaged public func removeFromChapters(_ value: Chapter)
    @NSManaged public func addToChapters(_ values: NSOrderedSet)
    @NSManaged public func removeFromChapters(_ values: NSOrderedSet)
    @NSManaged public func countOfChapters() -> Int
}

/// A class with a parameter, as a base for entity classes.
open class Record<Owner: NSManagedObject>: NSManagedObject {
    @NSManaged public var note: String?
    @NSManaged public var recordOwner: Owner?
    @NSManaged public var owners: Set<Owner>
}

public final class Loan: Record<Author> {
    @NSManaged public var days: Int16
}
