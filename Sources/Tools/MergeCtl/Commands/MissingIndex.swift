import CoreData
import MergeExchange

/// Tells of a key by which an import finds its objects, and which no index has.
enum MissingIndex {
    /// With fewer records nobody notices.
    private static let noticedCount = 10_000

    /// What to do for the next import of an entity; nil if there is nothing to be done.
    ///
    /// - Throws: `MergeStackError` if the user info of the model can't be followed.
    static func hint(_ entity: NSEntityDescription, recordCount: Int) throws -> String? {
        guard recordCount >= noticedCount, let key = try EntityMapping.primaryName(of: entity),
            !isIndexed(key, entity)
        else { return nil }
        let name = entity.name ?? ""
        return "Objects of \(name) are found by \(key), and no index of the model begins with it: "
            + "each save has searched all of them. Add a fetch index for \(key) to the entity."
    }

    private static func isIndexed(_ key: String, _ entity: NSEntityDescription) -> Bool {
        let inherited = entity.superentity.map { isIndexed(key, $0) } ?? false
        return inherited
            || entity.indexes.contains { $0.elements.first?.propertyName == key }
            // A store has an index for each.
            || entity.uniquenessConstraints.contains { constraint in
                (constraint.first as? NSAttributeDescription)?.name == key
                    || constraint.first as? String == key
            }
    }
}
