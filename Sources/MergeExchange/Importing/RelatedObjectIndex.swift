import CoreData
import MergeStack
import Threads

/// Finds the objects that records refer to by a key, and creates those that are not there; shared
/// by all workers of an import, so that none is created twice.
///
/// Keeps one ID for each key that was asked for.
///
/// > Threading: Any thread.
final class RelatedObjectIndex: Sendable {
    /// What a key leads to.
    enum Entry {
        case object(NSManagedObjectID)
        /// There is no such object, and an object with nothing but the key is not valid.
        case unavailable(reason: String)
    }

    private let relationship: EntityMapping.Relationship
    private let attribute: EntityMapping.Attribute
    private let entries = Guarded<[ImportKey: Entry]>([:])
    /// Held while missing objects are fetched and created: one worker at a time.
    private let creation = NSLock()

    /// An index for the destination of a relationship; nil if its objects have no key.
    init?(_ relationship: EntityMapping.Relationship) {
        guard let attribute = relationship.relatedBy else { return nil }
        self.relationship = relationship
        self.attribute = attribute
    }

    /// The entry of a key that ``resolve(_:in:saves:)`` was asked for.
    subscript(key: ImportKey) -> Entry? { entries.withLock { $0[key] } }

    /// Whether there is an entry for each of the keys.
    func knows(_ keys: Set<ImportKey>) -> Bool { unknown(keys).isEmpty }

    /// Sees to it that there is an entry for each of the keys: one fetch for those not known yet,
    /// and one save if some must be created.
    ///
    /// - Parameters:
    ///   - keys: What is going to be asked for.
    ///   - context: What the objects are looked for and created in; on its queue.
    ///   - stack: Brings created objects to the store at once; nil if `context` is the one that
    ///     uses and saves them.
    /// - Returns: How many objects were created.
    /// - Throws: What fetching or saving throws.
    func resolve(
        _ keys: Set<ImportKey>,
        in context: NSManagedObjectContext,
        savingWith stack: (any ContextStack)?
    ) throws -> Int {
        if knows(keys) { return 0 }
        creation.lock()
        defer { creation.unlock() }
        // Another worker may have been faster.
        let missing = unknown(keys)
        if missing.isEmpty { return 0 }
        let found = try ObjectFinder.objects(
            relationship.destination,
            attribute.name,
            missing,
            in: context
        )
        var new: [ImportKey: Entry] = found.mapValues { .object($0.objectID) }
        var created: [(key: ImportKey, object: NSManagedObject)] = []
        // Sorted, so that the same file makes the same store.
        let absent = missing.filter { found[$0] == nil }
            .sorted { "\($0.value)" < "\($1.value)" }
        for key in absent {
            let object = NSEntityDescription.insertNewObject(
                forEntityName: relationship.destination,
                into: context
            )
            object.setValue(key.value, forKey: attribute.name)
            do {
                try object.validateForInsert()
                created.append((key, object))
            } catch {
                context.delete(object)
                new[key] = .unavailable(
                    reason:
                        "There is no \(relationship.destination) \"\(key.value)\"; import "
                        + "\(relationship.destination) first, since one needs more than its "
                        + "\(attribute.name)."
                )
            }
        }
        if let stack, !created.isEmpty { try stack.saveAndWait(context) }
        // After the save: other workers may look for the rows at once.
        for (key, object) in created { new[key] = .object(object.objectID) }
        entries.withLock { entries in entries.merge(new) { _, new in new } }
        return created.count
    }

    private func unknown(_ keys: Set<ImportKey>) -> [ImportKey] {
        entries.withLock { entries in keys.filter { entries[$0] == nil } }
    }
}

/// Fetches objects by the values of a key attribute.
enum ObjectFinder {
    /// How many values one request asks for; databases limit them.
    private static let maximumValueCount = 5000

    /// The saved objects with one of the keys, by their keys; of several with one key, any.
    static func objects(
        _ entityName: String,
        _ attributeName: String,
        _ keys: [ImportKey],
        in context: NSManagedObjectContext
    ) throws -> [ImportKey: NSManagedObject] {
        var found: [ImportKey: NSManagedObject] = [:]
        found.reserveCapacity(keys.count)
        var rest = keys[...]
        while !rest.isEmpty {
            let values = rest.prefix(maximumValueCount).map(\.value)
            rest = rest.dropFirst(maximumValueCount)
            let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
            request.predicate = NSPredicate(format: "%K IN %@", attributeName, values as NSArray)
            // Unsaved objects are known to the importer itself.
            request.includesPendingChanges = false
            request.returnsObjectsAsFaults = false
            for object in try context.fetch(request) {
                if let key = ImportKey(object.value(forKey: attributeName)) { found[key] = object }
            }
        }
        return found
    }
}
