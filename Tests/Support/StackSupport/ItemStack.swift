import CoreData
import MergeStack
import XCTest

/// A stack over a new store with one entity, `Item`: `name` and `number`.
package final class ItemStack: Sendable {
    package let directory: URL
    package let stack: NotificationMergeStack
    package var storeURL: URL { directory.appendingPathComponent("items.sqlite") }
    package var main: NSManagedObjectContext { stack.mainContext }

    package init(
        _ options: MergeOptions = MergeOptions(),
        storeType: String = NSSQLiteStoreType,
        itemClass: NSManagedObject.Type = NSManagedObject.self
    ) throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("MergeStackTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let store = NSPersistentStoreDescription(
            url: directory.appendingPathComponent("items.sqlite")
        )
        store.type = storeType
        stack = try NotificationMergeStack(
            model: Self.makeModel(itemClass),
            stores: [store],
            options: options
        )
    }

    /// Tears the stack down and removes its files.
    package func remove() {
        do {
            try stack.tearDown()
            try FileManager.default.removeItem(at: directory)
        } catch {
            XCTFail("\(error)")
        }
    }

    package static func makeModel(
        _ itemClass: NSManagedObject.Type = NSManagedObject.self
    ) -> NSManagedObjectModel {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let number = NSAttributeDescription()
        number.name = "number"
        number.attributeType = .integer64AttributeType
        number.defaultValue = 0
        let item = NSEntityDescription()
        item.name = "Item"
        item.managedObjectClassName = NSStringFromClass(itemClass)
        item.properties = [name, number]
        let model = NSManagedObjectModel()
        model.entities = [item]
        return model
    }

    // MARK: In any context

    @discardableResult
    package static func insert(
        _ name: String,
        _ number: Int = 0,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(name, forKey: "name")
        item.setValue(number, forKey: "number")
        return item
    }

    package static func fetch(
        _ name: String,
        in context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try XCTUnwrap(context.fetch(request).first)
    }

    // MARK: In a background context, saved

    @discardableResult
    package func insertInBackground(_ name: String, _ number: Int = 0) throws -> NSManagedObjectID {
        try stack.performBackgroundAndWait { context in
            let item = Self.insert(name, number, into: context)
            try context.obtainPermanentIDs(for: [item])
            return item.objectID
        }
    }

    package func updateInBackground(_ name: String, to number: Int) throws {
        try stack.performBackgroundAndWait { context in
            try Self.fetch(name, in: context).setValue(number, forKey: "number")
        }
    }

    package func deleteInBackground(_ name: String) throws {
        try stack.performBackgroundAndWait { context in
            context.delete(try Self.fetch(name, in: context))
        }
    }
}
