import CoreData

/// What the hand-rolled handlers share: they observe all saves but those of main.
class SaveHandler: NSObject {
    let mainContext: NSManagedObjectContext

    init(mainContext: NSManagedObjectContext) {
        self.mainContext = mainContext
        super.init()
        let center = NotificationCenter.default
        #if canImport(ObjectiveC)
        center.addObserver(
            self,
            selector: #selector(observe(_:)),
            name: .NSManagedObjectContextDidSave,
            object: nil
        )
        #else
        _ = center.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: nil,
            queue: nil
        ) { [weak self] notification in
            self?.observe(notification)
        }
        #endif
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
    }

    #if canImport(ObjectiveC)
    @objc
    #endif
    func observe(_ notification: Notification) {
        let saved = notification.object as? NSManagedObjectContext
        guard saved !== mainContext,
            saved?.persistentStoreCoordinator === mainContext.persistentStoreCoordinator
        else { return }
        contextDidSave(notification)
    }

    /// Brings a save into main, each in its way.
    func contextDidSave(_ notification: Notification) {
        fatalError("A handler says what it does with a save.")
    }
}
