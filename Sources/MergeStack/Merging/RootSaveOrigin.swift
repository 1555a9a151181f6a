import CoreData

/// Tells of the saves of a context whether all that they hold came from one of its children, the
/// main context, which need not be told of it then.
///
/// A change of the root counts as the main context's if it is noted while that saves, on the very
/// thread that saves it, for the thread is in the root's queue then. Any other change makes the
/// root's next save one to merge, as a whole.
///
/// > Threading: Any thread; `isEcho` on the saving thread.
final class RootSaveOrigin: Sendable {
    private struct State {
        /// The thread in the main context's save.
        var savingThread: ObjectIdentifier?
        var hasChangesOfMain = false
        var hasOtherChanges = false
    }
    // Tokens are opaque objects that only go back to the notification center.
    private struct Tokens: @unchecked Sendable {
        var list: [any NSObjectProtocol] = []
    }

    private let root: WeakReference<NSManagedObjectContext>
    private let state: Guarded<State>
    private let tokens: Tokens

    init(root: NSManagedObjectContext, main: NSManagedObjectContext) {
        let state = Guarded(State())
        let root = WeakReference(root), main = WeakReference(main)
        func observe(
            _ name: Notification.Name,
            of context: WeakReference<NSManagedObjectContext>,
            _ body: @escaping @Sendable (inout State, _ thread: ObjectIdentifier) -> Void
        ) -> any NSObjectProtocol {
            // With `object: nil`, as all observations of contexts: see DidSaveObservation.
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                guard let posting = $0.object as? NSManagedObjectContext,
                    posting === context.object
                else { return }
                let thread = ObjectIdentifier(Thread.current)
                state.withLock { body(&$0, thread) }
            }
        }
        let list = [
            observe(.NSManagedObjectContextWillSave, of: main) { $0.savingThread = $1 },
            observe(.NSManagedObjectContextDidSave, of: main) { state, _ in
                state.savingThread = nil
            },
            observe(.NSManagedObjectContextObjectsDidChange, of: root) { state, thread in
                if state.savingThread == thread {
                    state.hasChangesOfMain = true
                } else {
                    state.hasOtherChanges = true
                }
            },
        ]
        self.root = root
        self.state = state
        tokens = Tokens(list: list)
    }

    deinit {
        for token in tokens.list { NotificationCenter.default.removeObserver(token) }
    }

    /// Whether a save is the root's, and what it has saved came from the main context alone.
    ///
    /// To be asked once for each save.
    func isEcho(_ saved: NSManagedObjectContext) -> Bool {
        guard saved === root.object else { return false }
        return state.withLock { state in
            defer {
                state.hasChangesOfMain = false
                state.hasOtherChanges = false
            }
            return state.hasChangesOfMain && !state.hasOtherChanges
        }
    }
}
