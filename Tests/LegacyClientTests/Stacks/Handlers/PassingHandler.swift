import CoreData

/// The handler that passes the save on to the main queue, and all of it at once.
class PassingHandler: SaveHandler {
    override func contextDidSave(
        _ notification: Notification
    ) {
        let main = mainContext
        DispatchQueue.main.async {
            main.mergeChanges(
                fromContextDidSave:
                    notification
            )
        }
    }
}
