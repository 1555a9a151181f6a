import Foundation

/// Copies the rows of one store into an empty one of a client's class, by way of objects, since
/// that is what such a store takes.
struct ObjectCopy {
    let source: any RowStore
    let target: any ObjectStore
    /// The entities that both have.
    let entities: [EntityLayout]

    /// Writes one save.
    ///
    /// - Complexity: Holds all objects in memory, twice.
    func run(on coordinator: NSPersistentStoreCoordinator) throws {
        // Contexts of one store each: on the coordinator itself a fetch would find the objects of
        // both.
        let parent = OneStore(coordinator, source), newParent = OneStore(coordinator, target)
        let old = context(on: parent), new = context(on: newParent)
        // Both queues are held, for each object's values are read from one context and set in the
        // other. Nobody else knows these contexts, so no one can wait for them in the other order.
        try old.basePerformAndWait { try new.basePerformAndWait { try copy(from: old, to: new) } }
    }

    private func context(on parent: OneStore) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.attach(to: parent)
        return context
    }

    private func copy(
        from old: NSManagedObjectContext,
        to new: NSManagedObjectContext
    ) throws {
        // All objects before any value, for relationships lead from one to another.
        var twins: [(old: NSManagedObject, new: NSManagedObject)] = []
        var newObjects: [NSManagedObjectID: NSManagedObject] = [:]
        for root in entities where root.isRoot {
            let request = NSFetchRequest<NSManagedObject>(entityName: root.name)
            for object in try old.fetch(request) {
                // Of the base class: a client's `awakeFromInsert()` would set values of its own.
                let twin = NSManagedObject(entity: object.entity, insertInto: new)
                twins.append((object, twin))
                newObjects[object.objectID] = twin
            }
        }
        for (object, twin) in twins {
            for slot in object.layout.slots where slot.kind != .volatile {
                let value = object.anyValue(slot.index)
                guard slot.isRelationship else {
                    twin.setValue(value, forKey: slot.name)
                    continue
                }
                let related = Self.objects(value).compactMap { newObjects[$0.objectID] }
                twin.setValue(slot.isToMany ? related : related.first, forKey: slot.name)
            }
        }
        // As in a migration: getters report what can't be read and give nothing.
        if let error = old.firstUnreadable { throw error }
        try new.save()
    }

    private static func objects(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let one as NSManagedObject: [one]
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }
}

/// A coordinator as if it had one store only.
private final class OneStore: ContextParent {
    private let coordinator: NSPersistentStoreCoordinator
    private let store: any RowStore
    let contexts = ContextList()

    init(_ coordinator: NSPersistentStoreCoordinator, _ store: any RowStore) {
        self.coordinator = coordinator
        self.store = store
    }

    var baseCoordinator: NSPersistentStoreCoordinator? { coordinator }
    var isStoreLevel: Bool { true }
    func rowStores(holding layout: EntityLayout) -> [any RowStore] {
        store.holds(layout) ? [store] : []
    }
    func writableRowStore(holding layout: EntityLayout) -> (any RowStore)? {
        store.holds(layout) ? store : nil
    }
    func rowStore(_ identity: StoreIdentity) -> (any RowStore)? { store }
    func write(_ parts: [StoreSave]) throws { try coordinator.write(parts) }
    // The copy is announced to nobody: the coordinator's contexts don't know the new store yet.
    func addFollower(_ context: NSManagedObjectContext) {}
    func removeFollower(_ context: NSManagedObjectContext) {}
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {}
    var promotions: KeyPromotions? { nil }
}
