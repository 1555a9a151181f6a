import Foundation

@testable import CoreData

/// A `.xcmappingmodel`, written for a test as Xcode writes it.
struct MappingSourceFolder {
    /// A mapping between two entities.
    struct Entity {
        var source: String?
        var destination: String?
        var name: String?
        var policy: String?
        var filter: CoreData.NSExpression?
        var userInfo: [AnyHashable: Any]?
        /// The expressions that were typed in, by property.
        var typed: [String: CoreData.NSExpression] = [:]
        /// What stands in the fields "Key Path" and "Mapping Name", by relationship.
        var fields: [String: (path: String, mapping: String)] = [:]
        /// The relationships whose expression was cleared.
        var cleared: Set<String> = []
    }

    let url: URL

    /// - Parameter paths: Where the models stand, as Xcode notes it.
    init(
        _ name: String,
        in folder: URL,
        from source: NSManagedObjectModel,
        to destination: NSManagedObjectModel,
        paths: (source: String, destination: String) = ("", ""),
        _ entities: [Entity]
    ) throws {
        url = folder.appendingPathComponent("\(name).xcmappingmodel", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var writer = Writer(destination: destination)
        for (place, entity) in entities.enumerated() { try writer.add(entity, place + 1) }
        writer.addModel(source, destination, paths)
        let text = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo><version>134481920</version></databaseInfo>
            \(writer.objects.joined(separator: "\n"))
            </database>
            """
        try Data(text.utf8).write(to: url.appendingPathComponent("xcmapping.xml"))
    }

    /// A key path of a variable, as `$source.title`.
    static func path(_ path: String, of variable: String = "source") -> CoreData.NSExpression {
        CoreData.NSExpression(
            .keyPath(operand: CoreData.NSExpression(forVariable: variable), path: path)
        )
    }

    static func call(
        _ variable: String,
        _ name: String,
        _ arguments: [CoreData.NSExpression]
    ) -> CoreData.NSExpression {
        CoreData.NSExpression(
            .function(
                name: name,
                arguments: [CoreData.NSExpression(forVariable: variable)] + arguments
            )
        )
    }
}

private struct Writer {
    let destination: NSManagedObjectModel
    var objects: [String] = []
    private var mappingIDs: [String] = []
    private var nextID = 102

    init(destination: NSManagedObjectModel) { self.destination = destination }

    private mutating func makeID() -> String {
        defer { nextID += 1 }
        return "z\(nextID)"
    }

    mutating func add(_ entity: MappingSourceFolder.Entity, _ number: Int) throws {
        let id = makeID()
        mappingIDs.append(id)
        var lists: [String: [String]] = [:]
        let properties = entity.destination.flatMap { destination.entitiesByName[$0] }?.properties
        for property in properties ?? [] {
            let isAttribute = property is NSAttributeDescription
            let own = makeID()
            lists[isAttribute ? "attributemappings" : "relationshipmappings", default: []]
                .append(own)
            var fields = [Self.field("name", "string", property.name)]
            if let expression = entity.typed[property.name] {
                fields.append(Self.field("valueexpressiondata", "binary", try data(expression)))
            }
            if let given = entity.fields[property.name] {
                fields.append(Self.field("sourcekeypath", "string", given.path))
                fields.append(Self.field("sourcemappingname", "string", given.mapping))
            }
            if !isAttribute {
                let isOn = !entity.cleared.contains(property.name)
                fields.append(Self.field("autogenerateexpression", "bool", isOn ? "1" : "0"))
            }
            fields.append(Self.reference("entitymapping", "XDDEVENTITYMAPPING", [id]))
            objects.append(
                Self.object(
                    isAttribute ? "XDDEVATTRIBUTEMAPPING" : "XDDEVRELATIONSHIPMAPPING",
                    own,
                    fields
                )
            )
        }
        var fields = [
            Self.field("mappingtypename", "string", "Undefined"),
            Self.field("mappingnumber", "int16", "\(number)"),
            Self.field("autogenerateexpression", "bool", "1"),
        ]
        for (key, value) in [
            ("sourcename", entity.source), ("destinationname", entity.destination),
            ("name", entity.name), ("migrationpolicyclassname", entity.policy),
        ] {
            if let value { fields.append(Self.field(key, "string", value)) }
        }
        if let filter = entity.filter {
            fields.append(Self.field("sourceexpressiondata", "binary", try data(filter)))
        }
        if let userInfo = entity.userInfo {
            let builder = KeyedArchiveBuilder()
            let root = try builder.value(userInfo)
            fields.append(Self.field("userinfodata", "binary", Self.text(builder.data(root: root))))
        }
        for (key, ids) in lists.sorted(by: { $0.key < $1.key }) {
            fields.append(Self.reference(key, "", ids.reversed()))
        }
        objects.append(Self.object("XDDEVENTITYMAPPING", id, fields))
    }

    mutating func addModel(
        _ source: NSManagedObjectModel,
        _ destination: NSManagedObjectModel,
        _ paths: (source: String, destination: String)
    ) {
        objects.append(
            Self.object(
                "XDDEVMAPPINGMODEL",
                makeID(),
                [
                    Self.field("sourcemodelpath", "string", paths.source),
                    Self.field(
                        "sourcemodeldata",
                        "binary",
                        Self.text(EditorArchive.data(source))
                    ),
                    Self.field("destinationmodelpath", "string", paths.destination),
                    Self.field(
                        "destinationmodeldata",
                        "binary",
                        Self.text(EditorArchive.data(destination))
                    ),
                    Self.reference(
                        "entitymappings",
                        "XDDEVENTITYMAPPING",
                        mappingIDs.reversed()
                    ),
                ]
            )
        )
    }

    private func data(_ expression: CoreData.NSExpression) throws -> String {
        let builder = KeyedArchiveBuilder()
        let writer = PredicateArchiveWriter(builder: builder, allowsCalls: true)
        return Self.text(builder.data(root: try writer.expression(expression)))
    }

    private static func text(_ data: Data) -> String {
        data.base64EncodedString(options: .lineLength76Characters)
    }

    private static func object(_ type: String, _ id: String, _ fields: [String]) -> String {
        "<object type=\"\(type)\" id=\"\(id)\">\n\(fields.joined(separator: "\n"))\n</object>"
    }

    private static func field(_ name: String, _ type: String, _ text: String) -> String {
        let end = type == "binary" ? "\n" : ""
        return "<attribute name=\"\(name)\" type=\"\(type)\">\(text)\(end)</attribute>"
    }

    private static func reference(_ name: String, _ type: String, _ ids: [String]) -> String {
        "<relationship name=\"\(name)\" type=\"0/0\" destination=\"\(type)\" "
            + "idrefs=\"\(ids.joined(separator: " "))\"></relationship>"
    }
}
