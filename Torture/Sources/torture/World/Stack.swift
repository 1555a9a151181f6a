import CoreData
import Foundation

/// A coordinator with one store, and the contexts of a scenario.
///
/// > Threading: One thread at a time; contexts are used inside their queues.
final class Stack {
    let coordinator: NSPersistentStoreCoordinator
    let url: URL

    /// Opens a store, which is made where there is none.
    init(
        _ url: URL,
        model: NSManagedObjectModel = TortureModel.first,
        type: String = NSSQLiteStoreType,
        options: [AnyHashable: Any]? = nil
    ) throws {
        self.url = url
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type,
            configurationName: nil,
            at: url,
            options: options
        )
    }

    /// Tracks history, as apps with several processes do.
    static var history: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = nil
        return context
    }

    /// Takes the stores off, which closes their files.
    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Changes a new context and saves it.
    func save(_ change: (NSManagedObjectContext) throws -> Void) throws {
        let context = makeContext()
        try context.inQueue {
            try change(context)
            try context.save()
        }
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func make(_ entity: String, _ name: String) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        object.setValue(name, forKey: "name")
        return object
    }

    /// All objects of an entity by their names.
    func all(_ entity: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try fetch(request)
    }

    /// The attributes of all items: what one fetch reads, or throws.
    func itemValues() throws -> [String] {
        try all("Item").map { item in
            let value = item.value(forKey: "value") as? Int64 ?? -1
            let data = item.value(forKey: "data") as? Data
            return "\(item.label) \(value) \(data.map { Digest.of($0) } ?? "-")"
        }
    }

    /// What this context shows: a line for each object of each entity.
    ///
    /// Relationships are read as they are asked for. One that can't be read is empty and reported on
    /// standard error, as a getter can't throw: this is for times when nothing fails.
    func seen() throws -> [String] {
        var lines: [String] = []
        for item in try all("Item") {
            let tags = (item.value(forKey: "tags") as? Set<NSManagedObject> ?? []).map(\.label)
            let owner = (item.value(forKey: "owner") as? NSManagedObject)?.label ?? "-"
            let value = item.value(forKey: "value") as? Int64 ?? -1
            let data = item.value(forKey: "data") as? Data
            lines.append(
                "Item \(item.label) \(value) \(data.map { Digest.of($0) } ?? "-") \(owner) "
                    + tags.sorted().joined(separator: ",")
            )
        }
        for list in try all("List") {
            let entries = list.value(forKey: "entries") as? NSOrderedSet ?? []
            let names = entries.compactMap { ($0 as? NSManagedObject)?.label }
            lines.append("List \(list.label) " + names.joined(separator: ","))
        }
        for entity in ["Owner", "Tag"] {
            lines += try all(entity).map { "\(entity) \($0.label)" }
        }
        return lines
    }
}
