import CoreData
#if !canImport(ObjectiveC)
import LegacyFoundation
#endif

/// The handler that waits for the main thread.
class WaitingHandler: SaveHandler {
    override func contextDidSave(
        _ notification: Notification
    ) {
        #if canImport(ObjectiveC)
        performSelector(
            onMainThread:
                #selector(merge(_:)),
            with: notification,
            waitUntilDone: true
        )
        #else
        performSelector(
            onMainThread: Selector("merge:", WaitingHandler.merge(_:)),
            with: notification,
            waitUntilDone: true
        )
        #endif
    }

    #if canImport(ObjectiveC)
    @objc
    #endif
    func merge(
        _ notification: Notification
    ) {
        mainContext.mergeChanges(
            fromContextDidSave: notification
        )
    }
}
