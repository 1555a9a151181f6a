import CoreData

/// An item with typed properties.
final class TypedItem: NSManagedObject {
    @NSManaged var number: Int64
    @NSManaged var category: Int64
    @NSManaged var score: Int64
    @NSManaged var code: Int64
    @NSManaged var ratio: Double
    @NSManaged var amount: Double
    @NSManaged var name: String?
    @NSManaged var mail: String?
    @NSManaged var text: String?
    @NSManaged var date: Date?
}

/// A parent with typed properties.
final class TypedParent: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var children: Set<TypedChild>
}

/// A child with typed properties.
final class TypedChild: NSManagedObject {
    @NSManaged var number: Int64
    @NSManaged var amount: Double
    @NSManaged var text: String?
    @NSManaged var parent: TypedParent?
}
