import CoreData

extension NSManagedObjectContext {
    /// Runs a block on the context's queue, and returns when it has: what `perform(_:)` does with
    /// `await` on systems that are newer than the package's floor.
    package func performing<Value: Sendable>(
        _ block: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            perform { continuation.resume(with: Result { try block() }) }
        }
    }
}
