import CoreData

// Entity classes as Xcode writes them for an app: public, not final, in a module of their own. The
// compiler sees neither their bodies nor that nobody subclasses them when it compiles the workloads.

/// An item of the workloads.
public class StoredItem: NSManagedObject {
    /// Tells items apart; from 1.
    @NSManaged public var number: Int64
    /// From 0 to 49.
    @NSManaged public var category: Int64
    /// From 0 to 999,999.
    @NSManaged public var score: Int64
    /// Any number of 56 bits.
    @NSManaged public var code: Int64
    /// From 0 to 1.
    @NSManaged public var ratio: Double
    /// Half of the number.
    @NSManaged public var amount: Double
    /// About 10 characters.
    @NSManaged public var name: String?
    /// About 26 characters.
    @NSManaged public var mail: String?
    /// About 60 characters.
    @NSManaged public var text: String?
    /// Any time of some months.
    @NSManaged public var date: Date?
}

/// A parent of the workloads.
public class StoredParent: NSManagedObject {
    /// What it is called.
    @NSManaged public var name: String?
    /// A hundred of them.
    @NSManaged public var children: Set<StoredChild>
}

/// A child of the workloads.
public class StoredChild: NSManagedObject {
    /// Tells children apart.
    @NSManaged public var number: Int64
    /// A quarter of the number.
    @NSManaged public var amount: Double
    /// About 20 characters.
    @NSManaged public var text: String?
    /// Whose child it is.
    @NSManaged public var parent: StoredParent?
}
