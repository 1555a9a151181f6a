import CoreData

/// The rows of the benchmark with typed properties, whose accessors the plugin generates.
final class TypedItem: NSManagedObject {
    @NSManaged var i1: Int64
    @NSManaged var i2: Int64
    @NSManaged var i3: Int64
    @NSManaged var i4: Int64
    @NSManaged var d1: Double
    @NSManaged var d2: Double
    @NSManaged var s1: String?
    @NSManaged var s2: String?
    @NSManaged var s3: String?
    @NSManaged var t: Date?
}
