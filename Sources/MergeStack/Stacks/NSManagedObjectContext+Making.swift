import CoreData

extension NSManagedObjectContext {
    /// Makes a context of a stack on a coordinator, with the merge policy that all contexts of
    /// stacks have.
    package static func make(
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

    /// Makes a context of a stack as a child of another one, which saves through that to the store,
    /// with the merge policy that all contexts of stacks have.
    package static func make(
        _ type: NSManagedObjectContextConcurrencyType,
        childOf parent: NSManagedObjectContext,
        name: String?
    ) -> NSManagedObjectContext {
        let context = StackContext(concurrencyType: type)
        context.parent = parent
        context.mergePolicy = NSMergePolicy.makeForStacks()
        context.name = name
        return context
    }

    /// Whether the context belongs to a thread, and has no queue.
    var isConfined: Bool { concurrencyType == BackgroundContextKind.confinement.concurrencyType }

    /// Runs a block where the context's objects may be used: at once on the thread of a confined
    /// one, else on its queue, while the caller waits.
    package func inside<Value, Failure: Error>(
        _ block: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard !isConfined else { return try block() }
        var outcome: Result<Value, Failure>?
        // The caller waits, so that nothing that the block captures is used twice at one time. The
        // form of `performAndWait` that returns a value needs later systems than this package does.
        withoutActuallyEscaping(block) { escapable in
            nonisolated(unsafe) let block = escapable
            nonisolated(unsafe) var result: Result<Value, Failure>?
            performAndWait { result = Result { () throws(Failure) in try block() } }
            outcome = result
        }
        guard let outcome else { fatalError("performAndWait has not run its block.") }
        return try outcome.get()
    }
}

extension NSMergePolicy {
    /// The policy of all contexts of stacks: of what conflicts, what the context changed wins over
    /// the store, property by property.
    static func makeForStacks() -> NSMergePolicy {
        NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }
}
