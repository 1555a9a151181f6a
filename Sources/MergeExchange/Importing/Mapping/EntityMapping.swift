import CoreData
import MergeStack

/// How records become objects of an entity, read from the model's user info.
///
/// The keys are those of MagicalRecord: `mappedKeyName` (also `mappedKeyName.0` to `.9`) and
/// `dateFormat` of attributes; `mappedKeyName`, `relatedByAttribute` and our `separator` of
/// relationships; `relatedByAttribute` or `primaryAttribute` of entities.
package struct EntityMapping: Sendable {
    /// A class, for each record goes through all of them: its parts would be counted one by one.
    final class Attribute: Sendable {
        let name: String
        let source: FieldSource
        let coercion: AttributeCoercion

        init(name: String, source: FieldSource, coercion: AttributeCoercion) {
            self.name = name
            self.source = source
            self.coercion = coercion
        }
    }

    struct Relationship: Sendable {
        let name: String
        let source: FieldSource
        let isToMany: Bool
        let isOrdered: Bool
        let destination: String
        /// The destination's attribute that tells its objects apart; nil if there is none.
        let relatedBy: Attribute?
        /// What separates the items of a list in one field.
        let separator: String?
        /// Whether it leads to objects that this import may be about to make.
        let isWithinTree: Bool
    }

    let entityName: String
    let attributes: [Attribute]
    let relationships: [Relationship]
    /// The place of the attribute that tells the objects apart; nil if records are always new.
    let primary: Int?

    var primaryAttribute: Attribute? { primary.map { attributes[$0] } }

    /// All sources: attributes, then relationships.
    var sources: [FieldSource] { attributes.map(\.source) + relationships.map(\.source) }

    /// - Throws: `MergeStackError` with code `invalidMapping` if the user info can't be followed.
    init(_ entity: NSEntityDescription) throws {
        let name = entity.name ?? ""
        entityName = name
        var attributes: [Attribute] = []
        // By name, so that the order in which things go wrong is the same each time.
        for (_, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
        where !attribute.isTransient {
            if let mapped = try Self.attribute(attribute, of: name) { attributes.append(mapped) }
        }
        self.attributes = attributes
        let primaryName = try Self.primaryName(of: entity)
        primary = primaryName.flatMap { name in attributes.firstIndex { $0.name == name } }
        relationships = try entity.relationshipsByName.sorted { $0.key < $1.key }
            .compactMap { try Self.relationship($0.value, of: entity) }
    }

    private static func attribute(
        _ attribute: NSAttributeDescription,
        of entityName: String
    ) throws -> Attribute? {
        let coercion = AttributeCoercion(
            type: attribute.attributeType,
            isOptional: attribute.isOptional,
            dateFormat: text("dateFormat", attribute.userInfo)
        )
        guard let coercion else { return nil }
        return Attribute(name: attribute.name, source: source(attribute), coercion: coercion)
    }

    private static func source(_ property: NSPropertyDescription) -> FieldSource {
        var names = [text("mappedKeyName", property.userInfo) ?? property.name]
        for number in 0...9 {
            if let name = text("mappedKeyName.\(number)", property.userInfo) { names.append(name) }
        }
        return FieldSource(names: names)
    }

    /// The name of the attribute that tells an entity's objects apart; nil if there is none.
    package static func primaryName(of entity: NSEntityDescription) throws -> String? {
        var ancestor: NSEntityDescription? = entity
        while let current = ancestor {
            let named =
                text("relatedByAttribute", current.userInfo)
                ?? text("primaryAttribute", current.userInfo)
            if let named {
                guard entity.attributesByName[named] != nil else {
                    throw MergeStackError(
                        .invalidMapping,
                        "The user info of entity \(current.name ?? "") names the attribute "
                            + "\"\(named)\" as its key, but it has no such attribute."
                    )
                }
                return named
            }
            ancestor = current.superentity
        }
        let name = entity.name ?? ""
        let conventional = name.prefix(1).lowercased() + name.dropFirst() + "ID"
        return entity.attributesByName[conventional] == nil ? nil : conventional
    }

    private static func relationship(
        _ relationship: NSRelationshipDescription,
        of entity: NSEntityDescription
    ) throws -> Relationship? {
        guard let destination = relationship.destinationEntity, !relationship.isTransient else {
            return nil
        }
        let named = text("relatedByAttribute", relationship.userInfo)
        let key = try named ?? primaryName(of: destination)
        var relatedBy: Attribute?
        if let key {
            guard let attribute = destination.attributesByName[key] else {
                throw MergeStackError(
                    .invalidMapping,
                    "The user info of relationship \(entity.name ?? "").\(relationship.name) says "
                        + "that it is related by \"\(key)\", but \(destination.name ?? "") has no "
                        + "such attribute."
                )
            }
            relatedBy = try Self.attribute(attribute, of: destination.name ?? "")
        }
        return Relationship(
            name: relationship.name,
            source: source(relationship),
            isToMany: relationship.isToMany,
            isOrdered: relationship.isOrdered,
            destination: destination.name ?? "",
            relatedBy: relatedBy,
            separator: text("separator", relationship.userInfo),
            // By the root: the destination may be a superentity, of which objects of this import
            // are some, and the one that a record names may not be there yet.
            isWithinTree: root(of: destination) === root(of: entity)
        )
    }

    private static func root(of entity: NSEntityDescription) -> NSEntityDescription {
        var root = entity
        while let superentity = root.superentity { root = superentity }
        return root
    }

    private static func text(_ key: String, _ userInfo: [AnyHashable: Any]?) -> String? {
        userInfo?[key] as? String
    }
}
