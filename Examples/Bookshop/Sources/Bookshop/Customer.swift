import CoreData

#if canImport(ObjectiveC)
@objc(Customer)
#endif
public class Customer: NSManagedObject {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Customer> {
        NSFetchRequest<Customer>(entityName: "Customer")
    }

    @NSManaged public var name: String?
    @NSManaged public var since: Date
    @NSManaged public var orders: Set<Order>
}

extension Customer {
    #if canImport(ObjectiveC)
    @objc(addOrdersObject:)
    #endif
    @NSManaged public func addToOrders(_ value: Order)

    #if canImport(ObjectiveC)
    @objc(removeOrdersObject:)
    #endif
    @NSManaged public func removeFromOrders(_ value: Order)
}
