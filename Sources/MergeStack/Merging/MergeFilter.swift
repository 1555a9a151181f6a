import CoreData
import Threads

/// Decides which saves concern the main context, seen from the thread that saves.
final class MergeFilter: Sendable {
    private struct State {
        /// The main context's own one first.
        var coordinators: [WeakReference<NSPersistentStoreCoordinator>]
        var excluded: [WeakReference<NSManagedObjectContext>] = []
    }
    private let main: WeakReference<NSManagedObjectContext>
    private let state: Guarded<State>

    init(main: NSManagedObjectContext, coordinator: NSPersistentStoreCoordinator) {
        self.main = WeakReference(main)
        state = Guarded(State(coordinators: [WeakReference(coordinator)]))
    }

    var mainContext: NSManagedObjectContext? { main.object }
    var mainCoordinator: NSPersistentStoreCoordinator? {
        state.withLock { $0.coordinators[0] }.object
    }

    func add(_ coordinator: NSPersistentStoreCoordinator) {
        guard !isKnown(coordinator) else { return }
        state.withLock { $0.coordinators.append(WeakReference(coordinator)) }
    }

    func exclude(_ context: NSManagedObjectContext) {
        include(context)
        state.withLock { $0.excluded.append(WeakReference(context)) }
    }

    func include(_ context: NSManagedObjectContext) {
        // Reading a weak reference may make the last strong one, whose release runs a deinit: never
        // under the lock.
        let all = state.withLock { $0.excluded }
        let left = all.filter { $0.object == nil || $0.object === context }
        // Another thread may have excluded a context meanwhile.
        state.withLock { state in
            state.excluded.removeAll { known in left.contains { $0 === known } }
        }
    }

    /// Why a context's save is not merged; nil if it is.
    func dropReason(for context: NSManagedObjectContext) -> MergeReport.DropReason? {
        guard let main = main.object, mainCoordinator != nil else { return .mainContextGone }
        guard isKnown(context.persistentStoreCoordinator) else { return .foreignCoordinator }
        if state.withLock({ $0.excluded }).contains(where: { $0.object === context }) {
            return .excluded
        }
        // Asked before the question for a parent: a descendant has one as well, but main has its
        // changes already and must not wait for another save.
        if main.isAncestor(of: context) { return .descendant }
        // The parent's save is merged instead, once the changes reach the store.
        return context.parent == nil ? nil : .nested
    }

    /// Whether a context has the main context's coordinator.
    func hasMainCoordinator(_ context: NSManagedObjectContext) -> Bool {
        context.persistentStoreCoordinator === mainCoordinator
    }

    private func isKnown(_ coordinator: NSPersistentStoreCoordinator?) -> Bool {
        guard let coordinator else { return false }
        return state.withLock { $0.coordinators }.contains { $0.object === coordinator }
    }
}

extension NSManagedObjectContext {
    /// Whether a context is a child of this one, or further below.
    func isAncestor(of context: NSManagedObjectContext) -> Bool {
        var ancestor = context.parent
        while let current = ancestor {
            if current === self { return true }
            ancestor = current.parent
        }
        return false
    }
}
