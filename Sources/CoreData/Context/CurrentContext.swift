extension NSFetchRequest {
    /// `execute()`.
    func executeInCurrentContext() throws -> [ResultType] {
        guard let context = CurrentContext.innermost else {
            throw CocoaError.coreData(
                "NSFetchRequest.execute() was called outside of a context's block: call it inside "
                    + "perform(_:) or performAndWait(_:), or call fetch(_:) of a context."
            )
        }
        return try context.fetch(self)
    }
}

/// Whose block the code on this thread runs in: what `NSFetchRequest.execute()` goes by.
///
/// > Threading: Each thread has its own list.
enum CurrentContext {
    private final class List {
        var contexts: [NSManagedObjectContext] = []
    }
    private static let list = ThreadLocal { List() }

    /// The context whose block was entered last; nil outside of all.
    static var innermost: NSManagedObjectContext? { list.value.contexts.last }

    /// Runs a block of a context.
    static func inside<Result, Failure: Error>(
        _ context: NSManagedObjectContext,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Looked up once: the block ends on the thread that it began on.
        let list = list.value
        list.contexts.append(context)
        defer { list.contexts.removeLast() }
        return try body()
    }
}
