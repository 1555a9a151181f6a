import CoreData

/// A place to add or edit objects for a form with "Save" and "Cancel": a child of the main context
/// with an undo manager of its own.
///
/// ```swift
/// let pad = Scratchpad(of: stack)
/// let item = try pad.object(ObjectReference(selectedItem))
/// item.name = "New name"
/// pad.context.undo()
/// pad.save { result in … }       // or: pad.cancel()
/// ```
///
/// The main context sees nothing of the edits before they are saved. The scratchpad in turn keeps
/// the values that it has read: a background save is merged into the main context only, and saving
/// the scratchpad overwrites nothing but the properties that were edited in it.
///
/// > Threading: On the main queue; one of confinement kind on the thread that made it.
public final class Scratchpad: Sendable {
    /// How a scratchpad guards its objects.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// By the main queue.
        case mainQueue
        /// By the thread that makes it.
        case confinement
    }

    /// The context in which the objects are edited.
    public let context: NSManagedObjectContext
    private let stack: any ContextStack

    /// Makes a scratchpad without objects.
    ///
    /// - Parameters:
    ///   - stack: The stack whose main context gets what is saved.
    ///   - kind: How it guards its objects.
    ///   - undoLevels: How many steps can be undone; 0 for any number, nil for none at all.
    public init(of stack: any ContextStack, kind: Kind = .mainQueue, undoLevels: Int? = 0) {
        self.stack = stack
        let type: NSManagedObjectContextConcurrencyType =
            kind == .mainQueue
            ? .mainQueueConcurrencyType : BackgroundContextKind.confinement.concurrencyType
        context = .make(type, childOf: stack.mainContext, name: "scratchpad")
        if let undoLevels {
            let manager = UndoManager()
            manager.levelsOfUndo = undoLevels
            context.undoManager = manager
        }
    }

    /// Returns the scratchpad's counterpart of an object of the main context, to be edited.
    ///
    /// - Throws: ``MergeStackError`` with code `objectUnavailable` if the main context does not have
    ///   it, or `wrongEntity` if it is an object of another class.
    public func object<Object: NSManagedObject>(
        _ reference: ObjectReference<Object>
    ) throws -> Object {
        try reference.resolve(in: context)
    }

    /// Whether there is something to save.
    public var hasChanges: Bool { context.hasChanges }

    /// Saves the changes to the main context at once and then to the store.
    ///
    /// Other unsaved changes of the main context are saved with them. A save that succeeds empties
    /// the scratchpad's undo stack.
    ///
    /// - Parameter completion: Called on the main queue when the changes are on disk, or with the
    ///   error; without it, errors go to the stack's ``ContextStack/onUnhandledError``. If the
    ///   changes are not valid, they are still in the scratchpad, and only there; if they could not
    ///   be written, they are in the main context.
    public func save(completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil) {
        // The scratchpad has a parent, so that its own save is waited for, and `hasChanges` tells
        // already whether it has succeeded.
        stack.save(context, waiting: .allButRoot, completion: completion)
        endUndo()
    }

    /// Saves the changes to the main context and the store, and waits until they are on disk.
    ///
    /// Other unsaved changes of the main context are saved with them. A save that succeeds empties
    /// the scratchpad's undo stack.
    ///
    /// - Throws: The first error. If the changes are not valid, they are still in the scratchpad,
    ///   and only there; if they could not be written, they are in the main context.
    public func saveAndWait() throws {
        // Also after an error: the scratchpad's own save may have succeeded, and only a parent's
        // failed.
        defer { endUndo() }
        try stack.saveAndWait(context)
    }

    /// Saves the changes to the main context and the store, and returns when they are on disk.
    ///
    /// Not for a scratchpad of confinement kind. Other unsaved changes of the main context are
    /// saved with them. A save that succeeds empties the scratchpad's undo stack.
    ///
    /// > Threading: Any thread.
    ///
    /// - Throws: The first error. If the changes are not valid, they are still in the scratchpad,
    ///   and only there; if they could not be written, they are in the main context.
    public func save() async throws {
        try await stack.save(context)
        await withCheckedContinuation { continuation in
            // Where this function goes on after the save is not the context's queue.
            context.perform { [self] in
                endUndo()
                continuation.resume()
            }
        }
    }

    /// Discards all changes: inserted objects vanish, others return to the values that were read.
    public func cancel() {
        context.rollback()
        context.undoManager?.removeAllActions()
    }

    /// Empties the undo stack, if everything is saved.
    private func endUndo() {
        if !context.hasChanges { context.undoManager?.removeAllActions() }
    }
}
