import CoreData

/// The handler that saves main after each merge, so that all of it is on disk.
class SavingHandler: SaveHandler {
    override func contextDidSave(
        _ notification: Notification
    ) {
        let main = mainContext
        main.perform {
            main.mergeChanges(
                fromContextDidSave:
                    notification
            )
            do {
                try main.save()
            } catch {
                NSLog("\(error)")
            }
        }
    }
}
