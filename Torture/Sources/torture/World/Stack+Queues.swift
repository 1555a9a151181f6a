import CoreData

extension NSManagedObjectContext {
    /// `performAndWait(_:)` for blocks that use what belongs to the caller's thread, which waits; a
    /// confined context has no queue and is used by its thread.
    func inQueue<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard concurrencyType.rawValue != 0 else { return try body() }
        return try withoutActuallyEscaping(body) { body in
            let waited = Waited(body: body)
            return try performAndWait { try waited.body() }
        }
    }
}

/// @unchecked: the thread that made it waits while another one runs it.
private struct Waited<Result>: @unchecked Sendable {
    let body: () throws -> Result
}
