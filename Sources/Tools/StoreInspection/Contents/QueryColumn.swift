import CoreData
import MergeExchange
import MergeStack

/// A column of a query's answer: a key path from the objects asked for.
struct QueryColumn {
    /// The key path, as the user has written it.
    let name: String
    /// The keys to follow; an object at the end is shown by its entity's key attribute.
    private let keys: [String]
    /// Whether the end is an object whose entity has no key attribute.
    private let endsAtObject: Bool
    /// The to-one relationships on the way, as a key path to read ahead; nil for attributes.
    let relationshipPath: String?
    /// The attribute at the end; nil for an object.
    let attribute: NSAttributeDescription?

    /// The columns that are shown unless others are asked for: the entity's key attribute, its
    /// attributes by name, its to-one relationships by name.
    static func all(of entity: NSEntityDescription) throws -> [QueryColumn] {
        let attributes = entity.attributesByName.keys.sorted()
        let relationships = entity.relationshipsByName.values.filter { !$0.isToMany }
            .map(\.name).sorted()
        let primary = try EntityMapping.primaryName(of: entity)
        return try
            (attributes.filter { $0 == primary } + attributes.filter { $0 != primary }
            + relationships).map { try QueryColumn($0, of: entity) }
    }

    /// A column that the user names.
    ///
    /// - Throws: `MergeStackError` with code `invalidMapping` if the entity has no such key, or many
    ///   objects are on the way.
    init(_ path: String, of entity: NSEntityDescription) throws {
        var current = entity
        var keys: [String] = [], relationships: [String] = []
        var attribute: NSAttributeDescription?
        // Empty parts count, so that `a..b` does not pass for `a.b`.
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (index, key) in parts.enumerated() {
            keys.append(key)
            if index == parts.count - 1, let found = current.attributesByName[key] {
                attribute = found
                break
            }
            guard let next = current.relationshipsByName[key], !next.isToMany,
                let destination = next.destinationEntity
            else { throw Self.unknown(path, key, current) }
            relationships.append(key)
            current = destination
        }
        name = path
        if attribute == nil, let primary = try EntityMapping.primaryName(of: current) {
            keys.append(primary)
            attribute = current.attributesByName[primary]
        }
        self.keys = keys
        self.attribute = attribute
        endsAtObject = attribute == nil
        relationshipPath = relationships.isEmpty ? nil : relationships.joined(separator: ".")
    }

    /// The key path with the key attribute of an object at the end.
    var keyPath: String { keys.joined(separator: ".") }

    /// The value of an object; nil where the way ends.
    func value(of object: NSManagedObject) -> Any? {
        var current: Any? = object
        for key in keys {
            guard let object = current as? NSManagedObject else { return nil }
            current = object.value(forKey: key)
        }
        guard endsAtObject else { return current }
        return (current as? NSManagedObject)?.objectID.uriRepresentation().absoluteString
    }

    private static func unknown(
        _ path: String,
        _ key: String,
        _ entity: NSEntityDescription
    ) -> MergeStackError {
        let names =
            (entity.attributesByName.keys.sorted()
            + entity.relationshipsByName.values.filter { !$0.isToMany }.map(\.name).sorted())
            .joined(separator: ", ")
        return MergeStackError(
            .invalidMapping,
            "\(entity.name ?? "") has no single value \"\(key)\" for the key \"\(path)\"; it has "
                + "\(names)."
        )
    }
}
