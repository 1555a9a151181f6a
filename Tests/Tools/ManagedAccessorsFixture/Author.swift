import CoreData
import Foundation

public protocol Named: AnyObject { var name: String? { get set } }

/// Every type that an attribute may have in a class.
open class Author: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged public var title: String
    @NSManaged open var small: Int16, middle: Int32
    @NSManaged public dynamic var large: Int64
    @NSManaged public var count: Int
    @NSManaged public var isActive: Bool
    @NSManaged public var ratio: Double
    @NSManaged public var weight: Float
    @NSManaged public var born, died: Date?
    @NSManaged public var registered: Date
    @NSManaged public var stamp: TimeInterval  // a date attribute as a number
    @NSManaged public var photo: Data?
    @NSManaged public var identifier: UUID?
    @NSManaged public var homepage: URL?
    @NSManaged public var balance: NSDecimalNumber?
    @NSManaged public var price: Decimal
    @NSManaged public var boxed: NSNumber?
    @NSManaged /* in between */ public
        var nicknames: [String]?
    @NSManaged public var settings: [String: Int]
    @NSManaged public var thing: NSObject?
    @NSManaged public var unwrapped: String!
    @NSManaged public var mood: Mood
    @NSManaged public var rank: Rank?
    @NSManaged public fileprivate(set) var readOnly: Int16
    @NSManaged private var secret: String?
    @available(*, deprecated) @NSManaged public var old: String?
    @NSManaged public var `default`: String?
    @NSManaged public var books: Set<Book>?
    @NSManaged public var agent: Agency.Agent?

    public enum Mood: Int16, Sendable { case calm, merry = 5 }
    public typealias Rank = AuthorRank

    public func setHidden(_ readOnly: Int16, _ secret: String?) {
        self.readOnly = readOnly
        self.secret = secret
    }
    public var secretLength: Int? { secret?.count }
}

public struct AuthorRank: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension Author: Named {}

extension Author {
    @NSManaged public func addToBooks(_ value: Book)
    @NSManaged public func addToBooks(_ values: NSSet)
    @NSManaged public func removeFromBooks(_ value: Book)
    @NSManaged public func removeFromBooks(_ values: NSSet)
    // @objc(addBooksObject:)
    @NSManaged public func attach(_ value: Book)
}

/// An inner class, and one in an extension.
public enum Agency {
    public final class Agent: NSManagedObject {
        @NSManaged public var name: String?
        @NSManaged public var authors: NSSet?
    }
}

extension Agency {
    public class Office: NSManagedObject {
        @NSManaged public var city: String?
        #if os(Linux)
        @NSManaged public var floor: Int16
        #else
        @NSManaged public var floor: NSNumber?
        #endif
    }
}
