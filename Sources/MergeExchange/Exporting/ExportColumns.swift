import CoreData
import MergeStack

/// The columns of an entity's export, named as an import of the same model expects them.
struct ExportColumns: Sendable {
    private enum Content: Sendable {
        case attribute(EntityMapping.Attribute)
        case related(EntityMapping.Relationship, key: EntityMapping.Attribute)
    }
    private struct Column: Sendable {
        let name: String
        let content: Content
    }

    private let columns: [Column]
    /// The properties that no file can hold, sorted by name.
    let leftOut: [String]
    /// The relationships whose objects are read with each page.
    let prefetched: [String]

    var names: [String] { columns.map(\.name) }

    /// - Throws: `MergeStackError` with code `invalidMapping` if the user info can't be followed.
    init(_ entity: NSEntityDescription) throws {
        let mapping = try EntityMapping(entity)
        let primary = mapping.primaryAttribute.map { [$0] } ?? []
        let others = mapping.attributes.filter { $0.name != primary.first?.name }
        let related = mapping.relationships.compactMap { relationship -> Column? in
            // To-many ones can be as large as the store: only where the model asks for them.
            guard let key = relationship.relatedBy,
                !relationship.isToMany || relationship.separator != nil
            else { return nil }
            return Column(
                name: relationship.source.description,
                content: .related(relationship, key: key)
            )
        }
        columns =
            (primary + others).map { Column(name: $0.source.description, content: .attribute($0)) }
            + related
        let included = Set(
            columns.map { column in
                switch column.content {
                case .attribute(let attribute): attribute.name
                case .related(let relationship, _): relationship.name
                }
            }
        )
        leftOut = entity.propertiesByName.filter {
            !included.contains($0.key) && !$0.value.isTransient
        }
        .keys.sorted()
        prefetched = columns.compactMap { column in
            if case .related(let relationship, _) = column.content {
                relationship.name
            } else {
                nil
            }
        }
    }

    /// An object's values, in the order of the columns.
    func values(of object: NSManagedObject) -> [FieldValue] {
        columns.map { column in
            switch column.content {
            case .attribute(let attribute):
                return Self.value(of: attribute, in: object)
            case .related(let relationship, let key):
                let related = object.value(forKey: relationship.name)
                if let one = related as? NSManagedObject { return Self.value(of: key, in: one) }
                return Self.list(related, key, separator: relationship.separator ?? ",")
            }
        }
    }

    private static func value(
        of attribute: EntityMapping.Attribute,
        in object: NSManagedObject
    ) -> FieldValue {
        object.value(forKey: attribute.name).map(attribute.coercion.exported) ?? .null
    }

    private static func list(
        _ related: Any?,
        _ key: EntityMapping.Attribute,
        separator: String
    ) -> FieldValue {
        if let ordered = related as? NSOrderedSet {
            let objects = ordered.array.compactMap { $0 as? NSManagedObject }
            return .list(objects.map { value(of: key, in: $0) }, separator: separator)
        }
        guard let set = related as? NSSet else { return .null }
        let values = set.allObjects.compactMap { $0 as? NSManagedObject }
            .map { value(of: key, in: $0) }
        // A set has no order; the same content is to give the same file.
        return .list(values.sorted { $0.plain ?? "" < $1.plain ?? "" }, separator: separator)
    }
}

extension FieldValue {
    /// The value in a file with columns; nil for none.
    var plain: String? {
        switch self {
        case .null: nil
        case .literal(let text), .text(let text): text
        case .list(let values, let separator):
            values.isEmpty ? nil : values.compactMap(\.plain).joined(separator: separator)
        }
    }

    /// The value in JSON.
    var json: String {
        switch self {
        case .null: "null"
        case .literal(let text): text
        case .text(let text): FieldText.json(text)
        case .list(let values, _): "[" + values.map(\.json).joined(separator: ", ") + "]"
        }
    }
}
