// swift-format-ignore-file: NeverForceUnwrap

import CoreData
import Foundation

// Lines are short since the documentation shows them beside those of MergedStack.

/// The main context and throwaway contexts on one coordinator, after "Multi-Context CoreData" (2012).
class HandRolledStack: NSObject, DataStack {
    let coordinator: NSPersistentStoreCoordinator
    let mainContext: NSManagedObjectContext
    private static let migrationOptions = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
    ]

    init(storeURL: URL) throws {
        let modelURL = Bundle.module.url(forResource: "Library", withExtension: "momd")!
        let model = NSManagedObjectModel(contentsOf: modelURL)!
        coordinator =
            NSPersistentStoreCoordinator(
                managedObjectModel: model
            )
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: storeURL,
            options: Self.migrationOptions
        )
        mainContext = NSManagedObjectContext(
            concurrencyType:
                .mainQueueConcurrencyType
        )
        mainContext.persistentStoreCoordinator =
            coordinator
        super.init()
        startObserving()
    }

    private func startObserving() {
        let center =
            NotificationCenter.default
        let name = Notification.Name
            .NSManagedObjectContextDidSave
        #if canImport(ObjectiveC)
        center.addObserver(
            self,
            selector: #selector(didSave(_:)),
            name: name,
            object: nil
        )
        #else
        _ = center.addObserver(
            forName: name,
            object: nil,
            queue: nil
        ) { [weak self] notification in
            self?.didSave(notification)
        }
        #endif
    }

    deinit {
        NotificationCenter.default
            .removeObserver(self)
    }

    func newBackgroundContext()
        -> NSManagedObjectContext
    {
        let context = NSManagedObjectContext(
            concurrencyType:
                .confinementConcurrencyType
        )
        context.persistentStoreCoordinator =
            coordinator
        return context
    }

    #if canImport(ObjectiveC)
    @objc
    #endif
    private func didSave(
        _ notification: Notification
    ) {
        let saved =
            notification.object
            as! NSManagedObjectContext
        // Main has its own changes already.
        if saved === mainContext { return }
        // Another database.
        let theirs =
            saved.persistentStoreCoordinator
        if theirs !== coordinator { return }
        if !Thread.isMainThread {
            DispatchQueue.main.sync {
                self.didSave(notification)
            }
            return
        }
        mainContext.mergeChanges(
            fromContextDidSave: notification
        )
    }
}
