import CoreData

/// What the app knows of its Core Data stack.
protocol DataStack: AnyObject {
    var mainContext: NSManagedObjectContext { get }
    func newBackgroundContext() -> NSManagedObjectContext
}

extension DataStack {
    func saveMainContext() {
        guard mainContext.hasChanges else { return }
        do {
            try mainContext.save()
        } catch let error as NSError {
            NSLog("Unresolved error \(error), \(error.userInfo)")
        }
    }
}
