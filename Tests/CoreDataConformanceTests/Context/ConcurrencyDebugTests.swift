import CoreData
import TestSupport
import Testing

/// What concurrency debugging stops. Each runs in a process of its own.
@Suite struct ConcurrencyDebugTests {
    /// A context with an object in it, with debugging on.
    private static func makeObject() throws -> (TestStack, NSManagedObjectContext, NSManagedObject)
    {
        setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
        let stack = try TestStack(.inMemory)
        let context = stack.makeContext("worker")
        let object = try context.onQueue {
            let object = context.make("Tag", ["label": "a"])
            try context.save()
            return object
        }
        return (stack, context, object)
    }

    @Test func useOnTheQueueGoesOn() async {
        await #expect(processExitsWith: .success) {
            let (stack, context, object) = try Self.makeObject()
            try context.onQueue {
                _ = object.value(forKey: "label")
                try context.save()
            }
            withExtendedLifetime((stack, context, object)) {}
        }
    }

    @Test func readingAValueOffTheQueueStops() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (stack, context, object) = try Self.makeObject()
            _ = object.value(forKey: "label")
            withExtendedLifetime((stack, context, object)) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Multithreading_Violation"))
        #expect(text.contains("performAndWait"))
    }

    @Test func settingAValueOffTheQueueStops() async {
        await #expect(processExitsWith: .failure) {
            let (stack, context, object) = try Self.makeObject()
            object.setValue("b", forKey: "label")
            withExtendedLifetime((stack, context, object)) {}
        }
    }

    @Test func fetchingOffTheQueueStops() async {
        await #expect(processExitsWith: .failure) {
            let (stack, context, object) = try Self.makeObject()
            _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
            withExtendedLifetime((stack, context, object)) {}
        }
    }

    @Test func savingOffTheQueueStops() async {
        await #expect(processExitsWith: .failure) {
            let (stack, context, object) = try Self.makeObject()
            try context.save()
            withExtendedLifetime((stack, context, object)) {}
        }
    }

    @Test func askingAContextForItsObjectsOffTheQueueStops() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (stack, context, object) = try Self.makeObject()
            _ = context.registeredObjects
            withExtendedLifetime((stack, context, object)) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("registeredObjects of"))
    }

    @Test func askingForChangesOffTheQueueStops() async {
        await #expect(processExitsWith: .failure) {
            let (stack, context, object) = try Self.makeObject()
            _ = context.hasChanges
            withExtendedLifetime((stack, context, object)) {}
        }
        await #expect(processExitsWith: .failure) {
            let (stack, context, object) = try Self.makeObject()
            _ = object.isDeleted
            withExtendedLifetime((stack, context, object)) {}
        }
        await #expect(processExitsWith: .failure) {
            let (stack, context, object) = try Self.makeObject()
            _ = object.changedValues()
            withExtendedLifetime((stack, context, object)) {}
        }
    }

    @Test func settingAPrimitiveValueOffTheQueueStops() async {
        await #expect(processExitsWith: .failure) {
            let (stack, context, object) = try Self.makeObject()
            object.setPrimitiveValue("b", forKey: "label")
            withExtendedLifetime((stack, context, object)) {}
        }
    }

    @Test func insertingOffTheQueueStopsWithTheCallsName() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (stack, context, object) = try Self.makeObject()
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            withExtendedLifetime((stack, context, object)) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("insertNewObject(forEntityName:into:) of"))
    }

    @Test func whatAnObjectIsCanBeAskedAnywhere() async {
        await #expect(processExitsWith: .success) {
            let (stack, context, object) = try Self.makeObject()
            _ = (object.objectID, object.entity, object.managedObjectContext)
            withExtendedLifetime((stack, context, object)) {}
        }
    }
}
