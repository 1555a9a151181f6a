import CoreData
import Foundation

/// A long chain of objects, and a way to let go of it: what follows it by recursion overflows the
/// stack.
struct Chain: Sendable {
    let name: String
    /// Makes and lets go of a chain, on a thread with a small stack; notes what has to go.
    let run: @Sendable (NSPersistentStoreCoordinator, Int, inout Departures) throws -> Void

    static let all: [Chain] = [
        Chain(name: "dropped") { coordinator, length, departures in
            let context = makeContext(coordinator)
            make(length, in: context, &departures)
        },
        Chain(name: "saved") { coordinator, length, departures in
            let context = makeContext(coordinator)
            make(length, in: context, &departures)
            try context.save()
        },
        Chain(name: "reset") { coordinator, length, departures in
            let context = makeContext(coordinator)
            make(length, in: context, &departures)
            context.reset()
        },
        Chain(name: "rolled-back") { coordinator, length, departures in
            let context = makeContext(coordinator)
            make(length, in: context, &departures)
            context.processPendingChanges()
            context.rollback()
        },
        Chain(name: "undone") { coordinator, length, departures in
            let context = makeContext(coordinator)
            context.undoManager = UndoManager()
            make(length, in: context, &departures)
            context.processPendingChanges()
            context.undo()
            context.redo()
            context.undo()
        },
        Chain(name: "refreshed") { coordinator, length, departures in
            let context = makeContext(coordinator)
            make(length, in: context, &departures)
            try context.save()
            context.refreshAllObjects()
        },
        Chain(name: "held-by-its-head") { coordinator, length, departures in
            let context = makeContext(coordinator)
            try makeSaved(length, coordinator)
            var head: NSManagedObject? = try context.only("Link", "0")
            walk(from: head, &departures)
            head = nil
        },
        Chain(name: "deleted") { coordinator, length, departures in
            let context = makeContext(coordinator)
            try makeSaved(length, coordinator)
            let head = try context.only("Link", "0")
            context.delete(head)
            context.processPendingChanges()
            guard context.deletedObjects.count == length else {
                throw UsageError(text: "\(context.deletedObjects.count) objects are deleted")
            }
            departures.expect(all: context.deletedObjects)
            try context.save()
        },
        Chain(name: "in-sets") { coordinator, length, departures in
            let context = makeContext(coordinator)
            let entity = try linkEntity(coordinator)
            var last = NSManagedObject(entity: entity, insertInto: context)
            for _ in 1..<length {
                let next = NSManagedObject(entity: entity, insertInto: context)
                last.mutableSetValue(forKey: "branches").add(next)
                last = next
            }
            departures.expect(all: context.registeredObjects)
        },
        Chain(name: "of-a-child") { coordinator, length, departures in
            let parent = makeContext(coordinator)
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try child.inQueue {
                make(length, in: child, &departures)
                try child.save()
            }
            departures.expect(all: parent.registeredObjects)
        },
        Chain(name: "merged") { coordinator, length, departures in
            let context = makeContext(coordinator), other = makeContext(coordinator)
            make(length, in: context, &departures)
            let merged = Guarded<Notification?>(nil)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave,
                object: nil,
                queue: nil
            ) { notification in
                let isOwn = notification.object as? NSManagedObjectContext === context
                if isOwn { merged.withLock { $0 = notification } }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            try context.save()
            if let notification = merged.value {
                other.mergeChanges(fromContextDidSave: notification)
            }
            walk(from: try other.only("Link", "0"), &departures)
        },
    ]

    static func named(_ name: String) -> Chain? { all.first { $0.name == name } }

    /// Each object leads to the next, and to the one before it.
    static let model: NSManagedObjectModel = {
        let link = NSEntityDescription()
        link.name = "Link"
        link.managedObjectClassName = "NSManagedObject"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let relationships = ["next", "previous", "branches", "trunk"].map { name in
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = link
            relationship.minCount = 0
            relationship.maxCount = name == "branches" ? 0 : 1
            relationship.isOptional = true
            relationship.deleteRule = .nullifyDeleteRule
            return relationship
        }
        for (one, other) in [(0, 1), (2, 3)] {
            relationships[one].inverseRelationship = relationships[other]
            relationships[other].inverseRelationship = relationships[one]
            relationships[one].deleteRule = .cascadeDeleteRule
        }
        link.properties = [name] + relationships
        let model = NSManagedObjectModel()
        model.entities = [link]
        return model
    }()

    // MARK: Making chains

    private static func makeContext(
        _ coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectContext {
        // Confined, so that all of it runs on the thread with the small stack.
        let confinement = NSManagedObjectContextConcurrencyType(rawValue: 0)
        let context = NSManagedObjectContext(
            concurrencyType: confinement ?? .privateQueueConcurrencyType
        )
        context.persistentStoreCoordinator = coordinator
        context.undoManager = nil
        return context
    }

    private static func linkEntity(
        _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSEntityDescription {
        guard let entity = coordinator.managedObjectModel.entitiesByName["Link"] else {
            throw UsageError(text: "the model has no links")
        }
        return entity
    }

    private static func make(
        _ length: Int,
        in context: NSManagedObjectContext,
        _ departures: inout Departures
    ) {
        var last = context.make("Link", "0")
        for number in 1..<length {
            let next = context.make("Link", "\(number)")
            last.setValue(next, forKey: "next")
            last = next
        }
        departures.expect(all: context.registeredObjects)
    }

    /// A chain in the store, in place of the last one.
    private static func makeSaved(
        _ length: Int,
        _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        let context = makeContext(coordinator)
        let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Link")
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: all))
        var departures = Departures()
        make(length, in: context, &departures)
        try context.save()
    }

    /// Reads a chain from its head on, which holds it all then.
    private static func walk(from head: NSManagedObject?, _ departures: inout Departures) {
        var links: [NSManagedObject] = []
        var link = head
        while let object = link {
            links.append(object)
            link = object.value(forKey: "next") as? NSManagedObject
        }
        departures.expect(all: links)
    }
}
