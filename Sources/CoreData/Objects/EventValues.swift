/// What properties were before the event under way changed them, where an object's row doesn't tell: they
/// had been changed in an earlier event since the object was last fetched or saved.
///
/// > Threading: Confined to the context's queue.
struct EventValues {
    private var values: [ObjectIdentifier: [Int: Any]] = [:]
    /// The objects that the event has deleted, while it is posted.
    var deleted: [NSManagedObject] = [] { didSet { deletedIdentifiers = nil } }
    // Made when an observer first asks: most don't.
    private var deletedIdentifiers: Set<ObjectIdentifier>?

    mutating func hasDeleted(_ object: NSManagedObject) -> Bool {
        let identifiers = deletedIdentifiers ?? Set(deleted.map(ObjectIdentifier.init))
        deletedIdentifiers = identifiers
        return identifiers.contains(ObjectIdentifier(object))
    }

    subscript(object: NSManagedObject, slot: Int) -> Any? {
        values[ObjectIdentifier(object)]?[slot]
    }

    mutating func forget(_ object: NSManagedObject) {
        if !values.isEmpty { values[ObjectIdentifier(object)] = nil }
    }

    /// Notes a value that is about to be changed, unless one was noted before.
    mutating func note(_ value: Any, _ slot: Int, of object: NSManagedObject) {
        let known = values[ObjectIdentifier(object)]?[slot]
        if known == nil { values[ObjectIdentifier(object), default: [:]][slot] = value }
    }
}
