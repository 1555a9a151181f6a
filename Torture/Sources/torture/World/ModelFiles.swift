import CoreData
import Foundation

/// The first two versions of the model and a mapping between them, as the sources that Xcode writes.
enum ModelFiles {
    /// Writes the files into a folder.
    static func write(to folder: URL) throws {
        for (name, model) in versions {
            try write(
                modelText(model),
                to: folder.appendingPathComponent("\(bundle)/\(name).xcdatamodel/contents")
            )
        }
        try write(
            mappingText,
            to: folder.appendingPathComponent("FirstToSecond.xcmappingmodel/xcmapping.xml")
        )
    }

    /// The second version, which knows the first one and the mapping by where it stands.
    static func second(in folder: URL) throws -> NSManagedObjectModel {
        try NSManagedObjectModel(
            readingFrom: folder.appendingPathComponent("\(bundle)/Second.xcdatamodel")
        )
    }

    private static let bundle = "Torture.xcdatamodeld"
    private static var versions: [(name: String, model: NSManagedObjectModel)] {
        [("First", TortureModel.first), ("Second", TortureModel.second)]
    }

    private static func write(_ text: String, to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(text)\n".utf8).write(to: url)
    }

    // MARK: Models

    private static func modelText(_ model: NSManagedObjectModel) -> String {
        let entities = model.entities.map { entity in
            let constraints = entity.uniquenessConstraints.compactMap { $0.first as? String }
                .map {
                    "<uniquenessConstraint><constraint value=\"\($0)\"/></uniquenessConstraint>"
                }
            let unique =
                constraints.isEmpty
                ? "" : "<uniquenessConstraints>\(constraints.joined())</uniquenessConstraints>"
            return "<entity name=\"\(entity.name ?? "")\" representedClassName=\"NSManagedObject\">"
                + entity.properties.map(propertyText).joined() + unique + "</entity>"
        }
        return "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">"
            + entities.joined(separator: "\n") + "</model>"
    }

    private static func propertyText(_ property: NSPropertyDescription) -> String {
        var text = " name=\"\(property.name)\" optional=\"\(property.isOptional ? "YES" : "NO")\""
        if let identifier = property.renamingIdentifier, identifier != property.name {
            text += " elementID=\"\(identifier)\""
        }
        if let attribute = property as? NSAttributeDescription {
            let types: [NSAttributeType: String] = [
                .stringAttributeType: "String", .integer64AttributeType: "Integer 64",
                .integer16AttributeType: "Integer 16", .binaryDataAttributeType: "Binary",
            ]
            text += " attributeType=\"\(types[attribute.attributeType] ?? "")\""
            if attribute.allowsExternalBinaryDataStorage {
                text += " allowsExternalBinaryDataStorage=\"YES\""
            }
            if let value = attribute.defaultValue { text += " defaultValueString=\"\(value)\"" }
            return "<attribute\(text)/>"
        }
        guard let relationship = property as? NSRelationshipDescription else { return "" }
        let destination = relationship.destinationEntity?.name ?? ""
        text += " destinationEntity=\"\(destination)\" inverseEntity=\"\(destination)\""
        text += " inverseName=\"\(relationship.inverseRelationship?.name ?? "")\""
        text += relationship.isToMany ? " toMany=\"YES\"" : " maxCount=\"1\""
        if relationship.isOrdered { text += " ordered=\"YES\"" }
        let isCascading = relationship.deleteRule == .cascadeDeleteRule
        return "<relationship\(text) deletionRule=\"\(isCascading ? "Cascade" : "Nullify")\"/>"
    }

    // MARK: The mapping

    /// By default expressions, but for what a policy does to items.
    private static var mappingText: String {
        var objects: [String] = [], mappings: [String] = []
        var number = 100
        func object(_ type: String, _ fields: [String]) -> String {
            number += 1
            objects.append(
                "<object type=\"XDDEV\(type)\" id=\"z\(number)\">\(fields.joined())</object>"
            )
            return "z\(number)"
        }
        for entity in TortureModel.first.entities {
            guard let name = entity.name,
                let properties = TortureModel.second.entitiesByName[name]?.properties
            else { continue }
            func members(_ type: String, _ isMember: (NSPropertyDescription) -> Bool) -> [String] {
                properties.filter(isMember).map { property in
                    object(
                        type,
                        [
                            field("name", "string", property.name),
                            field("autogenerateexpression", "bool", "1"),
                        ]
                    )
                }
            }
            let attributes = members("ATTRIBUTEMAPPING") { $0 is NSAttributeDescription }
            let relationships = members("RELATIONSHIPMAPPING") { $0 is NSRelationshipDescription }
            var fields = [
                field("mappingtypename", "string", "Undefined"),
                field("mappingnumber", "int16", "\(mappings.count + 1)"),
                field("autogenerateexpression", "bool", "1"),
                field("sourcename", "string", name), field("destinationname", "string", name),
                references("attributemappings", attributes),
                references("relationshipmappings", relationships),
            ]
            if name == "Item" {
                let policy = String(reflecting: RemarkPolicy.self)
                fields.append(field("migrationpolicyclassname", "string", policy))
            }
            mappings.append(object("ENTITYMAPPING", fields))
        }
        let model = [
            field("sourcemodelpath", "string", "\(bundle)/First.xcdatamodel"),
            field("destinationmodelpath", "string", "\(bundle)/Second.xcdatamodel"),
            references("entitymappings", mappings),
        ]
        _ = object("MAPPINGMODEL", model)
        return "<database><databaseInfo><version>134481920</version></databaseInfo>"
            + objects.joined(separator: "\n") + "</database>"
    }

    private static func field(_ name: String, _ type: String, _ text: String) -> String {
        "<attribute name=\"\(name)\" type=\"\(type)\">\(text)</attribute>"
    }

    private static func references(_ name: String, _ ids: [String]) -> String {
        "<relationship name=\"\(name)\" type=\"0/0\" idrefs=\"\(ids.joined(separator: " "))\"/>"
    }
}

/// Brings over what no default expression finds: `note`, which is called `remark` then.
final class RemarkPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: NSManagedObject,
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name,
            sourceInstances: [source]
        )
        for item in made { item.setValue(source.value(forKey: "note"), forKey: "remark") }
    }
}
