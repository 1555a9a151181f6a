import CoreData

/// A context whose plain `save()` reaches the store, through all its parents.
///
/// All contexts that stacks make and that have a parent are such: what a worker saves is on disk when
/// `save()` returns, in every layout. A layout of your own makes its main context so, if that has a
/// parent.
///
/// > Threading: As every context. ``save()`` waits for the parents' queues.
public final class StackContext: NSManagedObjectContext, @unchecked Sendable {
    // @unchecked: as its superclass, it is used on its queue.

    /// Saves the context and then its parents, and returns when that is on disk.
    ///
    /// New objects get their permanent IDs before. The parents' other unsaved changes are saved with
    /// them.
    ///
    /// - Throws: The first error; what was saved before it is then in the parent of the context
    ///   that failed, and goes on its way with the next save.
    public override func save() throws { try SaveClimb.saveAndWait(self, reach: .toStore) }

    /// Saves the context alone: into its parent, if it has one.
    func saveItself() throws { try super.save() }
}
