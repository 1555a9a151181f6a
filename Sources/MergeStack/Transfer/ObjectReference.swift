import CoreData

/// A reference to an object that can be handed to another context: its permanent ID and class.
///
/// ```swift
/// let reference = try ObjectReference(airport)
/// background.perform {
///     let airport = try reference.resolve(in: background)
/// ```
///
/// > Threading: A value; any thread. The object is used on its context's queue only.
public struct ObjectReference<Object: NSManagedObject>: Hashable, Sendable {
    /// The object's ID, a permanent one.
    public let objectID: NSManagedObjectID

    /// Refers to an object, on its context's queue.
    ///
    /// A new object gets its permanent ID now, though it is visible to other contexts only after
    /// its own has saved.
    ///
    /// - Throws: ``MergeStackError`` with code `objectUnavailable` if the object has no context,
    ///   or what obtaining the ID throws.
    public init(_ object: Object) throws {
        guard let context = object.managedObjectContext else {
            throw MergeStackError(
                .objectUnavailable,
                "The object has no context any more; refer to it before its context goes."
            )
        }
        if object.objectID.isTemporaryID { try context.obtainPermanentIDs(for: [object]) }
        objectID = object.objectID
    }

    /// Refers to the object with an ID, whose class `resolve(in:)` checks.
    init(checked objectID: NSManagedObjectID) { self.objectID = objectID }

    /// The object in another context, on that context's queue; read from the store if need be.
    ///
    /// - Throws: ``MergeStackError`` with code `objectUnavailable` if there is no such row, or
    ///   `wrongEntity` if it is an object of another class.
    public func resolve(in context: NSManagedObjectContext) throws -> Object {
        let object: NSManagedObject
        do {
            // Not `object(with:)`, which asks no store: that there is no such row would come out at
            // the object's first use, far from here.
            object = try context.existingObject(with: objectID)
        } catch {
            throw MergeStackError(
                .objectUnavailable,
                "The object is not in the store: it was deleted, or its context has not saved yet.",
                underlyingError: error
            )
        }
        guard let object = object as? Object else {
            throw MergeStackError.wrongClass(object, Object.self)
        }
        return object
    }
}
