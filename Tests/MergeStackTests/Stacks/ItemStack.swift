import CoreData
import XCTest

@testable import MergeStack

/// A stack over a new store with one entity, `Item`: `name` and `number`.
final class ItemStack: Sendable {
    let directory: URL
    let stack: NotificationMergeStack
    var storeURL: URL { directory.appendingPathComponent("items.sqlite") }
    var main: NSManagedObjectContext { stack.mainContext }

    init(
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
    func remove() {
        do {
            try stack.tearDown()
            try FileManager.default.removeItem(at: directory)
        } catch {
            XCTFail("\(error)")
        }
    }

    static func makeModel(
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
    static func insert(
        _ name: String,
        _ number: Int = 0,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(name, forKey: "name")
        item.setValue(number, forKey: "number")
        return item
    }

    static func fetch(_ name: String, in context: NSManagedObjectContext) throws -> NSManagedObject
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try XCTUnwrap(context.fetch(request).first)
    }

    // MARK: In a background context, saved

    @discardableResult
    func insertInBackground(_ name: String, _ number: Int = 0) throws -> NSManagedObjectID {
        try stack.performBackgroundAndWait { context in
            let item = Self.insert(name, number, into: context)
            try context.obtainPermanentIDs(for: [item])
            return item.objectID
        }
    }

    func updateInBackground(_ name: String, to number: Int) throws {
        try stack.performBackgroundAndWait { context in
            try Self.fetch(name, in: context).setValue(number, forKey: "number")
        }
    }

    func deleteInBackground(_ name: String) throws {
        try stack.performBackgroundAndWait { context in
            context.delete(try Self.fetch(name, in: context))
        }
    }
}

/// Values that several threads append to.
final class Log<Value: Sendable>: Sendable {
    private let entries = Guarded<[Value]>([])
    var all: [Value] { entries.withLock { $0 } }
    func append(_ value: Value) { entries.withLock { $0.append(value) } }
}

extension XCTestCase {
    /// Lets the main queue run until the stack's saves are merged.
    func settle(_ stack: ItemStack) {
        let settled = expectation(description: "settled")
        stack.stack.merger.settled { settled.fulfill() }
        wait(for: [settled], timeout: 60)
    }

    /// Lets the main queue run what is on it now.
    func turnMainQueue() {
        let turned = expectation(description: "turned")
        DispatchQueue.main.async { turned.fulfill() }
        wait(for: [turned], timeout: 60)
    }

    /// Runs a block on a thread of its own.
    func background(_ block: @escaping @Sendable () throws -> Void) -> XCTestExpectation {
        let done = expectation(description: "background")
        let thread = Thread {
            do {
                try block()
            } catch {
                XCTFail("\(error)")
            }
            done.fulfill()
        }
        thread.stackSize = 4 << 20
        thread.start()
        return done
    }
}
