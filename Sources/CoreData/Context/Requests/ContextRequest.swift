/// A request that says itself how a context executes it.
protocol ContextRequest: NSPersistentStoreRequest {
    /// Executes the request and keeps what it gives.
    func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}
