import CoreData
import Dispatch
import Threads

/// How far a save goes.
public enum SaveReach: Hashable, Sendable, CaseIterable {
    /// To the parent, or to the store if the context has none.
    case onlySelf
    /// Through all parents to the store. The parents' own unsaved changes are saved with them.
    case toStore
}

/// What the caller of a save with a completion handler waits for.
public enum SaveWait: Hashable, Sendable, CaseIterable {
    /// Nothing: each context saves later on its queue.
    case nothing
    /// All but the context that writes to the store, which saves later on its queue.
    case allButRoot
    /// Everything.
    case everything
}

/// Saving a context all the way to the store, in three forms over one implementation.
extension ContextStack {
    /// Saves a context, and tells when that is on disk.
    ///
    /// New objects of a context that has a parent get their permanent IDs before the save. A
    /// context without changes is passed over; its parents are saved all the same.
    ///
    /// In place of MagicalRecord's `saveOnlySelfWithCompletion:` (with `.onlySelf`),
    /// `saveToPersistentStoreWithCompletion:`, and `saveWithOptions:completion:`:
    /// `MRSaveParentContexts` is `.toStore`, `MRSaveSynchronously` is `.everything`,
    /// `MRSaveSynchronouslyExceptRootContext` is `.allButRoot`.
    ///
    /// > Threading: Any thread, for a context of confinement type its own. If parents are waited
    /// > for and the main context is one of them, the main queue must not block on the caller.
    ///
    /// - Parameters:
    ///   - context: Any context whose parents lead to the coordinator.
    ///   - reach: How far to save.
    ///   - waiting: What to wait for. A context of confinement type is always waited for.
    ///   - progress: Grows by a unit for each context to be saved, and advances as each is.
    ///   - completion: Called on the main queue, when the last save has ended, with the first
    ///     error; without it, errors go to ``onUnhandledError``. What was saved before the error is
    ///     then in the parent of the context that failed.
    public func save(
        _ context: NSManagedObjectContext,
        reach: SaveReach = .toStore,
        waiting: SaveWait = .nothing,
        progress: Progress? = nil,
        completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
    ) {
        SaveClimb(reach: reach, waiting: waiting, progress).run(from: context) { [layout] result in
            if let completion {
                DispatchQueue.main.async { completion(result) }
            } else if case .failure(let error) = result {
                layout.onUnhandledError(error)
            }
        }
    }

    /// Saves a context, and returns when that is on disk.
    ///
    /// Not for contexts of confinement type, whose thread an asynchronous function may leave.
    ///
    /// > Threading: Any thread.
    ///
    /// - Parameters:
    ///   - context: Any context whose parents lead to the coordinator.
    ///   - reach: How far to save.
    ///   - progress: Grows by a unit for each context to be saved, and advances as each is.
    /// - Throws: The first error; what was saved before it is then in the parent of the context
    ///   that failed.
    public func save(
        _ context: NSManagedObjectContext,
        reach: SaveReach = .toStore,
        progress: Progress? = nil
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            SaveClimb(reach: reach, waiting: .nothing, progress).run(from: context) {
                continuation.resume(with: $0)
            }
        }
    }

    /// Saves a context, and waits until that is on disk.
    ///
    /// In place of MagicalRecord's `saveOnlySelfAndWait` (with `.onlySelf`) and
    /// `saveToPersistentStoreAndWait`.
    ///
    /// > Threading: Any thread, for a context of confinement type its own. If the main context is
    /// > among its parents, the main queue must not block on the caller but by `performAndWait`.
    ///
    /// - Throws: The first error; what was saved before it is then in the parent of the context
    ///   that failed.
    public func saveAndWait(
        _ context: NSManagedObjectContext,
        reach: SaveReach = .toStore
    ) throws {
        try SaveClimb.saveAndWait(context, reach: reach)
    }
}

/// The saves of a context and of its parents, one after the other.
struct SaveClimb: Sendable {
    private let reach: SaveReach
    private let waiting: SaveWait
    private let progress: UncheckedProgress

    init(reach: SaveReach, waiting: SaveWait, _ progress: Progress?) {
        self.reach = reach
        self.waiting = waiting
        self.progress = UncheckedProgress(progress: progress)
    }

    /// Saves a context and, if the reach is the store, its parents, while the caller waits.
    static func saveAndWait(_ context: NSManagedObjectContext, reach: SaveReach) throws {
        let outcome = Guarded<Result<Void, any Error>?>(nil)
        SaveClimb(reach: reach, waiting: .everything, nil).run(from: context) { result in
            outcome.withLock { $0 = result }
        }
        // Everything was waited for, so that the outcome is there.
        try outcome.withLock { $0 }?.get()
    }

    /// Saves a context and, if the reach is the store, its parents.
    ///
    /// - Parameter finish: As in `climb(from:_:)`.
    func run(
        from context: NSManagedObjectContext,
        _ finish: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let parents = sequence(first: context, next: \.parent)
        // All of it before the first save, so that the progress is not complete in between.
        progress.progress?.totalUnitCount +=
            reach == .onlySelf ? 1 : Int64(parents.reduce(0) { count, _ in count + 1 })
        climb(from: context, finish)
    }

    /// Saves a context on its queue and then its parents on theirs.
    ///
    /// - Parameter finish: Called once, on the queue of the last context that saved.
    private func climb(
        from context: NSManagedObjectContext,
        _ finish: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let step: @Sendable () -> Void = {
            do {
                try Self.save(context)
            } catch {
                finish(.failure(error))
                return
            }
            progress.progress?.completedUnitCount += 1
            guard reach == .toStore, let parent = context.parent else {
                finish(.success(()))
                return
            }
            climb(from: parent, finish)
        }
        let isWaitedFor =
            waiting == .everything || waiting == .allButRoot && context.parent != nil
        // There is no queue to reach it by. The caller is on its thread, which the documentation
        // asks for.
        if context.isConfined {
            step()
        } else if isWaitedFor {
            context.performAndWait(step)
        } else {
            context.perform(step)
        }
    }

    private static func save(_ context: NSManagedObjectContext) throws {
        guard context.hasChanges else { return }
        // Else the parent's did-save notification would name IDs that change when it saves in turn.
        if context.parent != nil, !context.insertedObjects.isEmpty {
            try context.obtainPermanentIDs(for: Array(context.insertedObjects))
        }
        // Its own `save()` begins a climb to the store. This climb goes on to the parents by
        // itself, and with the reach and the waiting that were asked for.
        if let context = context as? StackContext {
            try context.saveItself()
        } else {
            try context.save()
        }
    }
}
