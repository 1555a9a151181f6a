import CoreData

extension NSManagedObjectContext {
    /// Makes a context of a stack on a coordinator or below a parent, with the merge policy that
    /// all contexts of stacks have.
    static func make(
        _ type: NSManagedObjectContextConcurrencyType,
        on coordinator: NSPersistentStoreCoordinator,
        name: String?
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergePolicy.makeForStacks()
        context.name = name
        return context
    }

    /// Makes a context of a stack as a child of another one, with the merge policy that all
    /// contexts of stacks have.
    static func make(
        _ type: NSManagedObjectContextConcurrencyType,
        childOf parent: NSManagedObjectContext,
        name: String?
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.parent = parent
        context.mergePolicy = NSMergePolicy.makeForStacks()
        context.name = name
        return context
    }

    /// Whether the context belongs to a thread, and has no queue.
    var isConfined: Bool { concurrencyType == BackgroundContextKind.confinement.concurrencyType }

    /// Runs a block where the context's objects may be used: at once on the thread of a confined
    /// one, else on its queue.
    func inside<Result>(_ block: () throws -> Result) rethrows -> Result {
        isConfined ? try block() : try performAndWait(block)
    }
}

extension NSMergePolicy {
    /// The policy of all contexts of stacks: of what conflicts, what the context changed wins over
    /// the store, property by property.
    static func makeForStacks() -> NSMergePolicy {
        NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }
}
