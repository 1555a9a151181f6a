import CoreData

/// The model, in code.
public enum BookshopModel {
    public static func make() -> NSManagedObjectModel {
        let customer = NSEntityDescription(), order = NSEntityDescription()
        customer.name = "Customer"
        customer.managedObjectClassName = "Customer"
        order.name = "Order"
        order.managedObjectClassName = NSStringFromClass(Order.self)

        let orders = NSRelationshipDescription(), owner = NSRelationshipDescription()
        orders.name = "orders"
        orders.destinationEntity = order
        orders.minCount = 0
        orders.maxCount = 0
        orders.deleteRule = .cascadeDeleteRule
        orders.inverseRelationship = owner
        owner.name = "customer"
        owner.destinationEntity = customer
        owner.minCount = 0
        owner.maxCount = 1
        owner.inverseRelationship = orders
        customer.properties = [
            attribute("name", .stringAttributeType), attribute("since", .dateAttributeType), orders,
        ]
        order.properties = [
            attribute("number", .integer64AttributeType), attribute("total", .decimalAttributeType),
            attribute("state", .integer16AttributeType), owner,
        ]
        let model = NSManagedObjectModel()
        model.entities = [customer, order]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
}
