import CoreData

/// Handing an object to another context.
extension NSManagedObject {
    /// This object in another context: MagicalRecord's `inContext:`.
    ///
    /// Only the object's ID is read, so that it may be called where the other context is used,
    /// inside its `perform(_:)` say. Save a new object before handing it to a context that is not
    /// a child of its own.
    ///
    /// > Threading: On the other context's queue or thread.
    ///
    /// - Throws: ``MergeStackError`` with code `objectUnavailable` if the other context can't see
    ///   the object: it was deleted, or is not saved yet.
    public func inContext(_ other: NSManagedObjectContext) throws -> Self {
        try Self.object(objectID, of: type(of: self), in: other)
    }

    private static func object<Object: NSManagedObject>(
        _ objectID: NSManagedObjectID,
        of type: Object.Type,
        in context: NSManagedObjectContext
    ) throws -> Object {
        try ObjectReference<Object>(checked: objectID).resolve(in: context)
    }
}
