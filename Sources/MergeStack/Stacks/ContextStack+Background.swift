import CoreData
import Dispatch
import Threads

/// Work on a background context, in three forms over one implementation.
extension ContextStack {
    /// Does work on a context of its own, saves it to the store, and waits until that is done.
    ///
    /// A context of confinement type is used on the calling thread. The main context may show the
    /// changes later; see ``waitUntilSettled(timeout:)``.
    ///
    /// In place of MagicalRecord's `saveWithBlockAndWait:`.
    ///
    /// > Threading: Any thread, the main thread included. Where background contexts are children of
    /// > the main one, the main queue must not block on a thread that is inside this call.
    ///
    /// - Parameters:
    ///   - kind: The type of the context.
    ///   - name: The context's name in merge reports.
    ///   - saves: Whether the context is saved to the store if `work` returns and left changes.
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
        return try context.inside {
            try undoingFailure(on: context, saves: saves) {
                let result = try run(work, on: context)
                // Still inside the context: where that is the main one, another block could change
                // it between the work and a save that is made later.
                if saves { try saveAndWait(context) }
                return result
            }
        }
    }

    /// Does work on a context of its own in the background and saves it to the store.
    ///
    /// In place of MagicalRecord's `saveWithBlock:completion:`.
    ///
    /// > Threading: Any thread.
    ///
    /// - Parameters:
    ///   - kind: The type of the context; one of confinement type gets a thread of its own.
    ///   - name: The context's name in merge reports.
    ///   - saves: Whether the context is saved to the store if `work` returns and left changes.
    ///   - work: Gets the context, on its queue or thread. If it throws, nothing is saved.
    ///   - completion: Called on the main queue, when the changes are on disk and the main context
    ///     shows them.
    public func performBackground<Value: Sendable>(
        _ kind: BackgroundContextKind = .privateQueue,
        name: String? = nil,
        saves: Bool = true,
        _ work: @escaping @Sendable (NSManagedObjectContext) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let finish: @Sendable (Result<Value, any Error>) -> Void = { [self] result in
            settled { completion(result) }
        }
        switch kind {
        case .privateQueue:
            let context = makeBackgroundContext(kind, name: name)
            context.perform { [self] in
                begin(work, on: context, saves: saves, finish)
            }
        case .confinement:
            // The context is made on that thread, for one of confinement type belongs to the thread
            // that makes it.
            ContextThread.start(name: name) { [self] in
                let context = makeBackgroundContext(kind, name: name)
                context.inside {
                    begin(work, on: context, saves: saves, finish)
                }
            }
        }
    }

    /// Does work on a context of its own in the background, saves it to the store, and returns when
    /// the changes are on disk and the main context shows them.
    ///
    /// > Threading: Any thread.
    ///
    /// - Parameters:
    ///   - kind: The type of the context; one of confinement type gets a thread of its own.
    ///   - name: The context's name in merge reports.
    ///   - saves: Whether the context is saved to the store if `work` returns and left changes.
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

    /// Does the work on the context's queue or thread, and has the save go on from there.
    private func begin<Value: Sendable>(
        _ work: (NSManagedObjectContext) throws -> Value,
        on context: NSManagedObjectContext,
        saves: Bool,
        _ finish: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let result = Result {
            try undoingFailure(on: context, saves: saves) {
                let value = try run(work, on: context)
                // The parents are saved later, when this queue or thread is free again.
                if saves { try saveAndWait(context, reach: .onlySelf) }
                return value
            }
        }
        guard saves, case .success = result, let parent = context.parent else {
            finish(result)
            return
        }
        SaveClimb(reach: .toStore, waiting: .nothing, nil).run(from: parent) {
            finish($0.flatMap { result })
        }
    }

    private func run<Result>(
        _ work: (NSManagedObjectContext) throws -> Result,
        on context: NSManagedObjectContext
    ) throws -> Result {
        // Asked where the work begins, since the stack may have been invalidated while it was
        // queued.
        try checkIsValid()
        return try work(context)
    }

    /// Rolls back work that failed or was not to be saved, if the context lives on after it.
    ///
    /// If the context had changes before, they can't be told from the work's, and all stay.
    private func undoingFailure<Result>(
        on context: NSManagedObjectContext,
        saves: Bool,
        _ body: () throws -> Result
    ) throws -> Result {
        guard context === mainContext, !context.hasChanges else { return try body() }
        do {
            let result = try body()
            if !saves { context.rollback() }
            return result
        } catch {
            context.rollback()
            throw error
        }
    }
}
