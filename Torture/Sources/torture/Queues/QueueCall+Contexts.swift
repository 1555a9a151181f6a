import CoreData
import Foundation

/// Calls of contexts.
extension QueueCall {
    static let ofContexts: [QueueCall] = [
        QueueCall("registeredObject(for:)") { $0.context.registeredObject(for: $0.item.objectID) },
        QueueCall("object(with:)") { $0.context.object(with: $0.item.objectID) },
        QueueCall("existingObject(with:)") {
            try $0.context.existingObject(with: $0.item.objectID)
        },
        QueueCall("obtainPermanentIDs(for:)") {
            try $0.context.obtainPermanentIDs(for: [$0.inserted])
        },
        QueueCall("assign(_:to:)") { $0.context.assign($0.inserted, to: $0.store) },
        QueueCall("registeredObjects") { _ = $0.context.registeredObjects },
        QueueCall("hasChanges") { _ = $0.context.hasChanges },
        QueueCall("insertedObjects") { _ = $0.context.insertedObjects },
        QueueCall("updatedObjects") { _ = $0.context.updatedObjects },
        QueueCall("deletedObjects") { _ = $0.context.deletedObjects },
        QueueCall("insert(_:)") { $0.context.insert($0.detached) },
        QueueCall("delete(_:)") { $0.context.delete($0.item) },
        QueueCall("processPendingChanges()") { $0.context.processPendingChanges() },
        QueueCall("save()") { try $0.context.save() },
        QueueCall("detectConflicts(for:)") { $0.context.detectConflicts(for: $0.item) },
        QueueCall("refresh(_:mergeChanges:) keeping", told: "refresh(_:mergeChanges:)") {
            $0.context.refresh($0.item, mergeChanges: true)
        },
        QueueCall("refresh(_:mergeChanges:) dropping", told: "refresh(_:mergeChanges:)") {
            $0.context.refresh($0.item, mergeChanges: false)
        },
        QueueCall("refreshAllObjects()") { $0.context.refreshAllObjects() },
        QueueCall("rollback()") { $0.context.rollback() },
        QueueCall("reset()") { $0.context.reset() },
        QueueCall("undo()") { $0.context.undo() },
        QueueCall("redo()") { $0.context.redo() },
        QueueCall("mergeChanges(fromContextDidSave:)") {
            $0.context.mergeChanges(fromContextDidSave: $0.notification)
        },
        QueueCall("value(forKey:) of a context", told: "registeredObjects") {
            _ = $0.context.value(forKey: "registeredObjects")
        },
        QueueCall("observe(_:) of a context", told: "observe(_:options:changeHandler:)") {
            $0.context.observe(\.hasChanges) { _, _ in }.invalidate()
        },
        QueueCall("insertNewObject(forEntityName:into:)") {
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: $0.context)
        },
        QueueCall("init(context:)", told: "init(entity:insertInto:)") { setting in
            guard let entity = TortureModel.first.entitiesByName["Tag"] else { return }
            _ = NSManagedObject(entity: entity, insertInto: setting.context)
        },
    ]

    static let ofRequests: [QueueCall] =
        [
            request("fetch(_:) of objects") { _ in },
            request("fetch(_:) of IDs") { $0.resultType = .managedObjectIDResultType },
            request("fetch(_:) of dictionaries") { $0.resultType = .dictionaryResultType },
            request("fetch(_:) of a number") { $0.resultType = .countResultType },
            QueueCall("count(for:)") {
                _ = try $0.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
            },
            QueueCall("execute(_:) of a fetch", told: "execute(_:)") {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                try $0.context.execute(request)
            },
            QueueCall("execute(_:) of an asynchronous fetch", told: "execute(_:)") {
                let fetch = NSFetchRequest<NSManagedObject>(entityName: "Item")
                let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { _ in }
                try $0.context.execute(request)
            },
            QueueCall("performFetch()") { setting in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                try NSFetchedResultsController(
                    fetchRequest: request,
                    managedObjectContext: setting.context,
                    sectionNameKeyPath: nil,
                    cacheName: nil
                ).performFetch()
            },
        ] + batches

    private static func request(
        _ name: String,
        _ change: @escaping (NSFetchRequest<any NSFetchRequestResult>) -> Void
    ) -> QueueCall {
        QueueCall(name, told: "fetch(_:)") { setting in
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
            change(request)
            _ = try setting.context.fetch(request)
        }
    }

    /// A store in memory refuses these, after the queue was looked at.
    private static let batches: [QueueCall] = [
        batch("insert", NSBatchInsertRequest(entityName: "Tag", objects: [["name": "batch"]])),
        batch("update", NSBatchUpdateRequest(entityName: "Tag")),
        batch(
            "delete",
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag"))
        ),
        batch("history", NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)),
    ]

    private static func batch(_ name: String, _ request: NSPersistentStoreRequest) -> QueueCall {
        QueueCall("execute(_:) of a batch: \(name)", told: "execute(_:)") { setting in
            do {
                try setting.context.execute(request)
            } catch let error as CocoaError where error.code.rawValue == 134_091 {
                return
            }
        }
    }
}
