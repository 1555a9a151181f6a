import CoreData
import MergeStack

/// The main context does all work, over a writer that keeps the disk off the main queue.
public final class OutsideWriterStack: ContextStack {
    public let layout: ContextLayout

    public init(coordinator: NSPersistentStoreCoordinator) {
        let writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        writer.persistentStoreCoordinator = coordinator
        let main = StackContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = writer
        layout = ContextLayout(main: main, background: .main)
    }
}
