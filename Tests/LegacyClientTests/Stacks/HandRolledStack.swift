// swift-format-ignore-file: NeverForceUnwrap

import CoreData
import Foundation

/// The main context and throwaway contexts on one coordinator, after "Multi-Context CoreData" (2012).
class HandRolledStack: NSObject, DataStack {
    let coordinator: NSPersistentStoreCoordinator
    let mainContext: NSManagedObjectContext

    init(storeURL: URL) throws {
        let modelURL = Bundle.module.url(forResource: "Library", withExtension: "momd")!
        let model = NSManagedObjectModel(contentsOf: modelURL)!
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let options = [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: storeURL,
            options: options
        )
        mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        mainContext.persistentStoreCoordinator = coordinator
        super.init()
        #if canImport(ObjectiveC)
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(contextDidSave(_:)),
            name: NSNotification.Name.NSManagedObjectContextDidSave,
            object: nil
        )
        #else
        _ = NotificationCenter.default.addObserver(
            forName: NSNotification.Name.NSManagedObjectContextDidSave,
            object: nil,
            queue: nil
        ) { [weak self] notification in
            self?.contextDidSave(notification)
        }
        #endif
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
    }

    func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    #if canImport(ObjectiveC)
    @objc
    #endif
    private func contextDidSave(_ notification: Notification) {
        let savedContext = notification.object as! NSManagedObjectContext
        // Main's own changes are there already.
        if savedContext === mainContext { return }
        // Another database.
        if savedContext.persistentStoreCoordinator !== coordinator { return }
        if !Thread.isMainThread {
            DispatchQueue.main.sync { self.contextDidSave(notification) }
            return
        }
        mainContext.mergeChanges(fromContextDidSave: notification)
    }
}
