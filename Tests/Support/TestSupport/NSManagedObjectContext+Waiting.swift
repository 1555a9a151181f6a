import CoreData

extension NSManagedObjectContext {
    /// Runs a block on the context's queue and waits for it: `performAndWait(_:)` for blocks that
    /// share with the code around them what is not Sendable.
    ///
    /// Since the caller waits, nothing is used twice at one time.
    @discardableResult
    public func onQueue<Value, Failure: Error>(
        _ block: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = withoutActuallyEscaping(block) { escapable in
            nonisolated(unsafe) let block = escapable
            return performAndWait { Result { () throws(Failure) in try block() } }
        }
        return try outcome.get()
    }
}
