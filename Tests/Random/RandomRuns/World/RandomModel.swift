import CoreData

/// A model with every kind of relationship, built in code with Apple's API alone.
///
/// Author 1 ↔ n Book; Author 1 ↔ n Post, whose owner is required; Author n ↔ m Tag; Author 1 ↔ 1
/// Desk; Shelf 1 ↔ n Book, ordered, which takes its books along when it is deleted. All have a name
/// that no other has, a rank and a group.
enum RandomModel {
    /// Shared: a model in use does not change.
    static let model = make()
    static let entities = ["Author", "Book", "Desk", "Post", "Shelf", "Tag"]

    private static func make() -> NSManagedObjectModel {
        var made: [String: NSEntityDescription] = [:]
        for name in entities {
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "NSManagedObject"
            entity.properties = [
                attribute("name", .stringAttributeType),
                attribute("rank", .integer32AttributeType),
                attribute("group", .integer16AttributeType),
                attribute("mood", .stringAttributeType, transient: true),
            ]
            made[name] = entity
        }
        func relate(_ one: (String, String, Bool), _ other: (String, String, Bool)) {
            guard let source = made[one.0], let destination = made[other.0] else { return }
            let forward = relationship(one.1, to: destination, many: one.2)
            let back = relationship(other.1, to: source, many: other.2)
            forward.inverseRelationship = back
            back.inverseRelationship = forward
            source.properties.append(forward)
            destination.properties.append(back)
        }
        relate(("Author", "books", true), ("Book", "author", false))
        relate(("Author", "posts", true), ("Post", "owner", false))
        relate(("Author", "tags", true), ("Tag", "authors", true))
        relate(("Author", "desk", false), ("Desk", "author", false))
        relate(("Shelf", "books", true), ("Book", "shelf", false))
        made["Shelf"]?.relationshipsByName["books"]?.isOrdered = true
        made["Shelf"]?.relationshipsByName["books"]?.deleteRule = .cascadeDeleteRule
        made["Post"]?.relationshipsByName["owner"]?.isOptional = false
        let model = NSManagedObjectModel()
        model.entities = entities.compactMap { made[$0] }
        return model
    }

    private static func attribute(
        _ name: String,
        _ type: NSAttributeType,
        transient: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.isTransient = transient
        return attribute
    }

    private static func relationship(
        _ name: String,
        to destination: NSEntityDescription,
        many: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.minCount = 0
        relationship.maxCount = many ? 0 : 1
        relationship.isOptional = true
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }
}

extension NSManagedObject {
    var label: String { value(forKey: "name") as? String ?? "?" }
    var rank: Int { value(forKey: "rank") as? Int ?? -1 }
    func one(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
    func many(_ key: String) -> [NSManagedObject] {
        if let ordered = value(forKey: key) as? NSOrderedSet {
            return ordered.array.compactMap { $0 as? NSManagedObject }
        }
        return Array(value(forKey: key) as? Set<NSManagedObject> ?? [])
    }
}

extension NSManagedObjectContext {
    /// The objects of an entity, by name.
    func all(_ entity: String, _ predicate: NSPredicate? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try fetch(request)
    }

    func everything() throws -> [NSManagedObject] {
        try RandomModel.entities.flatMap { try all($0) }
    }
}

/// All that a context shows: a line for each object, with what its relationships show.
enum Picture {
    /// > Threading: On the context's queue.
    static func lines(_ context: NSManagedObjectContext) throws -> [String] {
        try context.everything().map(line)
    }

    static func line(_ object: NSManagedObject) -> String {
        let links = object.entity.relationshipsByName.sorted { $0.key < $1.key }
            .map { key, relationship -> String in
                guard relationship.isToMany else {
                    return "\(key) \(object.one(key)?.label ?? "-")"
                }
                let labels = object.many(key).map(\.label)
                let list = relationship.isOrdered ? labels : labels.sorted()
                return "\(key) [\(list.joined(separator: ","))]"
            }
        return values(object) + " " + links.joined(separator: " ")
    }

    /// The attributes and the to-one relationships.
    static func ownLine(_ object: NSManagedObject) -> String {
        let links = object.entity.relationshipsByName.filter { !$0.value.isToMany }
            .sorted { $0.key < $1.key }
            .map { "\($0.key) \(object.one($0.key)?.label ?? "-")" }
        return values(object) + " " + links.joined(separator: " ")
    }

    private static func values(_ object: NSManagedObject) -> String {
        "\(object.label) rank \(object.rank) group \(object.value(forKey: "group") as? Int ?? -1)"
    }
}
