// Measures a stack of your own beside those of MergeStack and bare SQLite.
// The article "Measuring your own stack" shows it.
import CoreData
import Foundation
import MergeBench

/// One coordinator, and a main context that merges what others save: as it is written by hand.
final class OurStack: MeasuredStack {
    let mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    private let coordinator: NSPersistentStoreCoordinator

    init(model: NSManagedObjectModel, store: NSPersistentStoreDescription) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: store.type,
            configurationName: nil,
            at: store.url,
            options: store.options
        )
        mainContext.persistentStoreCoordinator = coordinator
        mainContext.automaticallyMergesChangesFromParent = true
    }

    func performInBackground(
        _ work: @Sendable (NSManagedObjectContext) throws -> Void
    ) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        nonisolated(unsafe) var outcome = Result<Void, any Error>.success(())
        context.performAndWait {
            outcome = Result {
                try work(context)
                try context.save()
            }
        }
        try outcome.get()
    }

    func saveMain(completion: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            try mainContext.save()
            completion(nil)
        } catch {
            completion(error)
        }
    }

    // Merges are blocks on the main queue, so one that comes later comes after them.
    func waitUntilShown() throws { DispatchQueue.main.sync {} }

    var mergeCounts: MergeCounts? { nil }

    func tearDown() throws {
        mainContext.reset()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

func measure() throws {
    let ours = StackLayout(name: "ours", title: "Ours", summary: "Merged by hand.") {
        try OurStack(model: $0, store: $1)
    }
    var settings = BenchmarkSettings()
    settings.rowCounts = [10_000]
    let report = try BenchmarkSession(settings: settings, layouts: StackLayout.all + [ours]).run()
    print(report.text)
    let page = URL(fileURLWithPath: "report.html")
    try Data(BenchmarkPage(report).html.utf8).write(to: page)
}

// The main queue must be free while it is measured.
Thread.detachNewThread {
    do {
        try measure()
        exit(0)
    } catch {
        print(error.localizedDescription)
        exit(1)
    }
}
RunLoop.main.run()
