import CoreData
import Foundation

/// Uses names for entities, attributes and relationships in all that a store does.
struct NameTrial {
    let folder: URL

    private static let kinds = [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType]

    /// One name for an entity, its attribute and a relationship to it.
    func run(_ name: String) throws -> [String] {
        let model = Self.model([name], attributes: [name, "plain"], relationship: name)
        return try Self.kinds.flatMap { kind in
            if HostileName.refused.contains(name), kind == NSSQLiteStoreType {
                return try refuse(model)
            }
            return try use(model, [name], [name, "plain"], name, kind)
        }
    }

    /// A store whose tables can't be made is refused, and nothing of it is left.
    private func refuse(_ model: NSManagedObjectModel) throws -> [String] {
        let url = folder.appendingPathComponent("\(UUID().uuidString).sqlite")
        do {
            try Stack(url, model: model).close()
            return ["tables of one name are not refused"]
        } catch let error as CocoaError where error.code.rawValue == 134_080 {
            let database = try Database(url.path)
            defer { database.close() }
            let tables = try database.strings("SELECT name FROM sqlite_master")
            return tables.isEmpty ? [] : ["a store that was refused has the tables \(tables)"]
        }
    }

    /// Several names that differ, of entities and of attributes.
    ///
    /// - Parameter isRefused: Whether their tables are one to SQL.
    func run(_ names: [String], isRefused: Bool) throws -> [String] {
        let attributes = Self.model(
            ["Thing"],
            attributes: names + ["plain"],
            relationship: "things"
        )
        let entities = Self.model(names, attributes: ["plain"], relationship: "things")
        return try Self.kinds.flatMap { kind in
            let wrong = try use(attributes, ["Thing"], names + ["plain"], "things", kind)
            if isRefused, kind == NSSQLiteStoreType { return try wrong + refuse(entities) }
            return try wrong + use(entities, names, ["plain"], "things", kind)
        }
    }

    /// Entities with attributes, all of which an owner is related to, in both ways.
    private static func model(
        _ names: [String],
        attributes: [String],
        relationship: String
    ) -> NSManagedObjectModel {
        let owner = NSEntityDescription()
        owner.name = "TheOwner"
        owner.properties = [attribute("plain")]
        let entities = names.enumerated().map { index, name in
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = attributes.map(attribute)
            let suffix = names.count == 1 ? "" : "\(index)"
            relate(owner, relationship + suffix, entity, "owners" + suffix)
            return entity
        }
        let model = NSManagedObjectModel()
        model.entities = entities + [owner]
        return model
    }

    private static func attribute(_ name: String) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = true
        return attribute
    }

    /// Many to many, and ordered at one end: there are a table and columns for it.
    private static func relate(
        _ first: NSEntityDescription,
        _ name: String,
        _ second: NSEntityDescription,
        _ inverse: String
    ) {
        let forward = NSRelationshipDescription(), back = NSRelationshipDescription()
        for (relationship, name, target) in [(forward, name, second), (back, inverse, first)] {
            relationship.name = name
            relationship.destinationEntity = target
            relationship.maxCount = 0
            relationship.isOptional = true
        }
        forward.isOrdered = true
        forward.inverseRelationship = back
        back.inverseRelationship = forward
        first.properties.append(forward)
        second.properties.append(back)
    }

    private func use(
        _ model: NSManagedObjectModel,
        _ entities: [String],
        _ attributes: [String],
        _ relationship: String,
        _ kind: String
    ) throws -> [String] {
        let url = folder.appendingPathComponent("\(UUID().uuidString).\(kind)")
        var stack = try Stack(url, model: model, type: kind, options: options(kind))
        let context = stack.makeContext()
        try context.inQueue {
            for (index, name) in entities.enumerated() {
                let owner = NSEntityDescription.insertNewObject(
                    forEntityName: "TheOwner",
                    into: context
                )
                let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                for key in attributes { object.setValue("\(index) \(key)", forKey: key) }
                let suffix = entities.count == 1 ? "" : "\(index)"
                owner.setValue(NSOrderedSet(object: object), forKey: relationship + suffix)
            }
            try context.save()
        }
        try stack.close()
        // Once more, where tables are found by their names.
        stack = try Stack(url, model: model, type: kind, options: options(kind))
        let reader = stack.makeContext()
        let wrong = try reader.inQueue {
            try entities.enumerated().flatMap { index, name in
                try look(reader, name, index, attributes, entities.count == 1 ? "" : "\(index)")
            } + (kind == NSSQLiteStoreType ? batch(reader, entities[0], attributes) : [])
        }
        try stack.close()
        return wrong.map { "\(kind): \($0)" }
    }

    private func options(_ kind: String) -> [AnyHashable: Any]? {
        kind == NSSQLiteStoreType ? Stack.history : nil
    }

    private func look(
        _ context: NSManagedObjectContext,
        _ name: String,
        _ index: Int,
        _ attributes: [String],
        _ suffix: String
    ) throws -> [String] {
        var wrong: [String] = []
        for key in attributes where !HostileName.unaskable.contains(key) {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
            request.predicate = NSPredicate(
                format: "%K == %@ AND ANY owners\(suffix).plain == nil",
                key,
                "\(index) \(key)"
            )
            let found = try context.fetch(request)
            if found.count != 1 { wrong.append("\(found.count) objects are found by an attribute") }
            if found.first?.value(forKey: key) as? String != "\(index) \(key)" {
                wrong.append("an attribute has another value")
            }
            let owners = found.first?.value(forKey: "owners\(suffix)") as? Set<NSManagedObject>
            if owners?.count != 1 { wrong.append("\(owners?.count ?? 0) owners are related") }
        }
        return wrong
    }

    private func batch(
        _ context: NSManagedObjectContext,
        _ entity: String,
        _ attributes: [String]
    ) throws -> [String] {
        guard let key = attributes.first(where: { !HostileName.unaskable.contains($0) }) else {
            return []
        }
        let update = NSBatchUpdateRequest(entityName: entity)
        update.propertiesToUpdate = [key: "updated"]
        try context.execute(update)
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [key]
        let values = try context.fetch(request).map { $0[key] as? String }
        let delete = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        try context.execute(NSBatchDeleteRequest(fetchRequest: delete))
        let rest = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        return values == ["updated"] && rest == 0
            ? [] : ["a batch has left \(values) and \(rest) objects"]
    }
}
