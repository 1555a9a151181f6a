import CoreData

extension NSManagedObjectContext {
    /// Runs a block on the context's queue, waits for it and returns its value.
    ///
    /// `performAndWait(_:)` with a value needs later systems than this package does, and a block that
    /// is Sendable; since the caller waits, nothing that this one captures is used twice at one time.
    @discardableResult
    public func onQueue<Value>(_ block: () throws -> Value) throws -> Value {
        try result(of: block).get()
    }

    /// The same for a block that throws nothing.
    @discardableResult
    public func onQueue<Value>(_ block: () -> Value) -> Value {
        switch result(of: block) {
        case .success(let value): value
        case .failure(let error): fatalError("A block that can't throw has thrown \(error).")
        }
    }

    private func result<Value>(of block: () throws -> Value) -> Result<Value, any Error> {
        var outcome: Result<Value, any Error>?
        withoutActuallyEscaping(block) { escapable in
            nonisolated(unsafe) let block = escapable
            nonisolated(unsafe) var result: Result<Value, any Error>?
            performAndWait { result = Result { try block() } }
            outcome = result
        }
        guard let outcome else { fatalError("performAndWait has not run its block.") }
        return outcome
    }
}
