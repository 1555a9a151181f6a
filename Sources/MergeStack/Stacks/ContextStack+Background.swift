import CoreData
import Dispatch

/// Work on a fresh background context, in three forms over one implementation.
extension NotificationMergeStack {
    /// Does work on a context of its own, saves it, and waits until that is done.
    ///
    /// A context of confinement type is used on the calling thread. The main context shows the
    /// changes later; see ``DidSaveMerger/waitUntilSettled(timeout:)``.
    ///
    /// > Threading: Any thread, the main one as well.
    ///
    /// - Parameters:
    ///   - kind: The type of the context.
    ///   - name: The context's name in merge reports.
    ///   - saves: Whether the context is saved if `work` returns and left changes.
    ///   - work: Gets the context, on its queue or thread. If it throws, nothing is saved.
    /// - Returns: What `work` returns.
    /// - Throws: What `work` or the save throws, or ``MergeStackError`` with code `invalidated`.
    @discardableResult
    public func performBackgroundAndWait<Result>(
        _ kind: BackgroundContextKind = .privateQueue,
        name: String? = nil,
        saves: Bool = true,
        _ work: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let context = makeBackgroundContext(kind, name: name)
        switch kind {
        case .confinement:
            return try run(work, on: context, saves: saves)
        case .privateQueue:
            return try context.performAndWait {
                try run(work, on: context, saves: saves)
            }
        }
    }

    /// Does work on a context of its own in the background and saves it.
    ///
    /// > Threading: Any thread.
    ///
    /// - Parameters:
    ///   - kind: The type of the context; one of confinement type gets a thread of its own.
    ///   - name: The context's name in merge reports.
    ///   - saves: Whether the context is saved if `work` returns and left changes.
    ///   - work: Gets the context, on its queue or thread. If it throws, nothing is saved.
    ///   - completion: Called on the main queue, when the main context shows the changes.
    public func performBackground<Value: Sendable>(
        _ kind: BackgroundContextKind = .privateQueue,
        name: String? = nil,
        saves: Bool = true,
        _ work: @escaping @Sendable (NSManagedObjectContext) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let finish: @Sendable (Result<Value, any Error>) -> Void = { [merger] result in
            merger.settled { completion(result) }
        }
        switch kind {
        case .privateQueue:
            let context = makeBackgroundContext(kind, name: name)
            context.perform { [self] in
                finish(Result { try run(work, on: context, saves: saves) })
            }
        case .confinement:
            ContextThread.start(name: name) { [self] in
                let context = makeBackgroundContext(kind, name: name)
                finish(Result { try run(work, on: context, saves: saves) })
            }
        }
    }

    /// Does work on a context of its own in the background, saves it, and returns when the main
    /// context shows the changes.
    ///
    /// > Threading: Any thread.
    ///
    /// - Parameters:
    ///   - kind: The type of the context; one of confinement type gets a thread of its own.
    ///   - name: The context's name in merge reports.
    ///   - saves: Whether the context is saved if `work` returns and left changes.
    ///   - work: Gets the context, on its queue or thread. If it throws, nothing is saved.
    /// - Returns: What `work` returns.
    /// - Throws: What `work` or the save throws, or ``MergeStackError`` with code `invalidated`.
    @discardableResult
    public func performBackground<Value: Sendable>(
        _ kind: BackgroundContextKind = .privateQueue,
        name: String? = nil,
        saves: Bool = true,
        _ work: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            performBackground(kind, name: name, saves: saves, work) {
                continuation.resume(with: $0)
            }
        }
    }

    private func run<Result>(
        _ work: (NSManagedObjectContext) throws -> Result,
        on context: NSManagedObjectContext,
        saves: Bool
    ) throws -> Result {
        try checkIsValid()
        let result = try work(context)
        if saves, context.hasChanges { try context.save() }
        return result
    }
}
