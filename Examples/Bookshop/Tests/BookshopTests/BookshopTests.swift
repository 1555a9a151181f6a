import Bookshop
import CoreData
import XCTest

/// A class that only the tests have, beneath one of the library.
private final class Gift: Order {
    @NSManaged var message: String?
}

final class BookshopTests: XCTestCase {
    private func makeContainer(_ model: NSManagedObjectModel) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Bookshop", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in XCTAssertNil(error) }
        return container
    }

    func testOrdersOfACustomer() throws {
        let context = makeContainer(BookshopModel.make()).viewContext
        let customer = Customer(context: context)
        customer.name = "Ann"
        customer.since = Date()
        for number in 1...3 {
            let order = Order(context: context)
            order.number = Int64(number)
            order.total = NSDecimalNumber(string: "9.90")
            order.state = number == 3 ? .paid : .sent
            customer.addToOrders(order)
        }
        try context.save()
        XCTAssertEqual(customer.orders.count, 3)

        let request = NSFetchRequest<Order>(entityName: "Order")
        request.predicate = NSPredicate(format: "customer.name == %@ AND state == 1", "Ann")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Order.number, ascending: false)]
        let sent = try context.fetch(request)
        XCTAssertEqual(sent.map(\.number), [2, 1])
        XCTAssertEqual(sent.first?.state, .sent)

        customer.removeFromOrders(sent[0])
        XCTAssertNil(sent[0].customer)
        context.delete(customer)
        try context.save()
        XCTAssertEqual(try context.count(for: NSFetchRequest<Order>(entityName: "Order")), 1)
        XCTAssertEqual(try context.fetch(Customer.fetchRequest()).count, 0)
    }

    func testAClassOfTheTests() throws {
        let model = BookshopModel.make()
        let gift = NSEntityDescription()
        gift.name = "Gift"
        gift.managedObjectClassName = NSStringFromClass(Gift.self)
        let message = NSAttributeDescription()
        message.name = "message"
        message.attributeType = .stringAttributeType
        message.isOptional = true
        gift.properties = [message]
        model.entitiesByName["Order"]?.subentities = [gift]
        model.entities += [gift]
        let context = makeContainer(model).viewContext
        let object = Gift(context: context)
        object.message = "Hello"
        object.number = 8
        try context.save()
        XCTAssertEqual(object.value(forKey: "message") as? String, "Hello")
        XCTAssertEqual(object.number, 8)
    }
}
