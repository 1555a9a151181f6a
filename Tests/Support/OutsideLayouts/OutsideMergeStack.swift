import CoreData
import MergeStack

/// Contexts beside the main one, with a relay below all of them. What they save is merged.
public final class OutsideMergeStack: ContextStack {
    public let layout: ContextLayout

    public init(coordinator: NSPersistentStoreCoordinator) {
        let writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        writer.persistentStoreCoordinator = coordinator
        let relay = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        relay.parent = writer
        let main = StackContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = relay
        layout = ContextLayout(main: main, background: .besideMain(DidSaveMerger(into: main)))
    }
}
