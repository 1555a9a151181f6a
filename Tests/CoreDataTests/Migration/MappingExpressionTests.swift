import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What expressions of a mapping can say, and what they are told that they can't.
@Suite struct MappingExpressionTests {
    private static let old = makeModel([
        makeEntity(
            "Item",
            [makeAttribute("name"), makeAttribute("score", .integer32AttributeType)]
        )
    ])
    private static let new = makeModel([
        makeEntity("Thing", [makeAttribute("kind"), makeAttribute("text")])
    ])

    private static func property(_ name: String, _ format: String) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = NSExpression(format: format)
        return mapping
    }

    private static func mapping(text: String) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "ItemToThing"
        mapping.mappingType = .customEntityMappingType
        mapping.sourceEntityName = "Item"
        mapping.destinationEntityName = "Thing"
        mapping.entityMigrationPolicyClassName = NSStringFromClass(EchoPolicy.self)
        mapping.attributeMappings = [property("kind", "$source.name"), property("text", text)]
        return mapping
    }

    /// The texts of the new objects, by the names of the old ones, which are a and b.
    private func migrate(_ mapping: NSEntityMapping) throws -> [String] {
        let fixture = try MigrationFixture(Self.old) { context in
            context.insert("Item", ["name": "a", "score": 1])
            context.insert("Item", ["name": "b", "score": 5])
        }
        let mappings = NSMappingModel()
        mappings.entityMappings = [mapping]
        let manager = NSMigrationManager(sourceModel: Self.old, destinationModel: Self.new)
        let url = fixture.folder.appendingPathComponent("New.sqlite")
        try manager.migrateStore(
            from: fixture.url,
            type: .sqlite,
            mapping: mappings,
            to: url,
            type: .sqlite
        )
        return try MigrationFixture.shell("SELECT ZTEXT FROM ZTHING ORDER BY ZKIND", url)
    }

    private static func manager(_ function: String, _ arguments: String...) -> String {
        "FUNCTION($manager, \"\(function)\", \(arguments.joined(separator: ", ")))"
    }

    private static let request = manager(
        "fetchRequestForSourceEntityNamed:predicateString:",
        "\"Item\"",
        "\"score > 3\""
    )
    private static let made = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    private static let ofAny = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    private static let givers = "sourceInstancesForEntityMappingNamed:destinationInstances:"

    @Test(arguments: [
        ("SELF", ["object a", "object b"]),
        ("$source", ["object a", "object b"]),
        ("name", ["a", "b"]),
        ("TERNARY($source.score > 3, \"high\", \"low\")", ["low", "high"]),
        ("{$source.name, $source.score}", ["a+1", "b+5"]),
        ("$manager.userInfo.note", ["n", "n"]),
        ("$manager.userInfo.none", ["nil", "nil"]),
        ("$manager.sourceContext", ["source", "source"]),
        ("$manager.destinationContext", ["destination", "destination"]),
        ("$manager.sourceModel", ["Item", "Item"]),
        ("$manager.destinationModel", ["Thing", "Thing"]),
        ("$entityMapping.name", ["ItemToThing", "ItemToThing"]),
        ("FETCH(\(request), $manager.sourceContext, NO)", ["b", "b"]),
        ("FETCH(\(request), $manager.sourceContext, YES)", ["1", "1"]),
        (manager("sourceEntityForEntityMapping:", "$entityMapping"), ["Item", "Item"]),
        (manager("destinationEntityForEntityMapping:", "$entityMapping"), ["Thing", "Thing"]),
        (manager("destinationEntityForEntityMapping:", "\"x\""), ["nil", "nil"]),
        // Of the objects made so far, of which there are none of the first source.
        (manager(made, "\"ItemToThing\"", "$manager.userInfo.mixed"), ["", "a"]),
        (manager(made, "\"ItemToThing\"", "$manager.userInfo.list"), ["", "a"]),
        (manager(made, "\"ItemToThing\"", "$manager.userInfo.ordered"), ["", ""]),
        (manager(made, "\"ItemToThing\"", "\"no objects\""), ["", ""]),
        (manager(ofAny, "\"\"", "$manager.userInfo.mixed"), ["", "a"]),
        // What a new object is made of is noted when all its attributes are there.
        (manager(givers, "\"ItemToThing\"", "$destination"), ["", ""]),
    ])
    func expressionsGiveValues(format: String, expected: [String]) throws {
        let text = "FUNCTION($entityPolicy, \"echo:\", \(format))"
        #expect(try migrate(Self.mapping(text: text)) == expected.filter { !$0.isEmpty })
    }

    @Test(arguments: [
        ("$unknown", "there is no variable $unknown"),
        ("$source.none", "the entity Item has no \"none\""),
        ("$manager.stores", "the migration manager has no \"stores\""),
        (manager("remove:", "1"), "the migration manager has no function \"remove:\""),
        (manager(made, "1"), "the migration manager has no function"),
        ("FUNCTION($source, \"name\")", "call \"name\" of $source"),
        ("FUNCTION($entityPolicy, \"sing:\", 1)", "call \"sing:\" of EchoPolicy"),
        ("FETCH(\"x\", $manager.sourceContext, NO)", "gives no request or no context"),
        ("FETCH(\(request), \"y\", NO)", "gives no request or no context"),
        (
            manager("fetchRequestForSourceEntityNamed:predicateString:", "\"None\"", "\"\""),
            "the source model has no entity \"None\""
        ),
    ])
    func whatThereIsNotIsNamedWithItsMapping(format: String, message: String) throws {
        let error = #expect(throws: CocoaError.self) {
            try migrate(Self.mapping(text: format))
        }
        #expect(error?.errorCode == NSEntityMigrationPolicyError)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("ItemToThing") && text.contains(message), "\(text)")
    }

    /// Formats can't call such functions; files can.
    @Test func functionsOfNobodyAreNamed() throws {
        let mapping = Self.mapping(text: "$source.name")
        mapping.attributeMappings?.last?.valueExpression = CoreData.NSExpression(
            .function(name: "shout", arguments: [CoreData.NSExpression(forConstantValue: "a")])
        )
        let error = #expect(throws: CocoaError.self) { try migrate(mapping) }
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("the unknown function \"shout\""), "\(text)")
    }

    /// For the expression that chooses the sources there are no objects yet.
    @Test func withoutObjectsTheirVariablesAreEmpty() throws {
        let mapping = Self.mapping(text: "$source.name")
        mapping.sourceExpression = NSFetchRequestExpression.expression(
            forFetch: NSExpression(
                format: Self.manager(
                    "fetchRequestForSourceEntityNamed:predicateString:",
                    "\"Item\"",
                    "$source.name"
                )
            ),
            context: NSExpression(format: "$manager.sourceContext"),
            countOnly: false
        )
        #expect(try migrate(mapping) == ["a", "b"])
    }

    @Test func anEntityThatThereIsNotIsNamed() throws {
        let source = Self.mapping(text: "$source.name")
        source.sourceEntityName = "None"
        let destination = Self.mapping(text: "$source.name")
        destination.destinationEntityName = "None"
        for (mapping, message) in [
            (source, "the source model has no entity \"None\""),
            (destination, "the destination model has no entity \"None\""),
        ] {
            let error = #expect(throws: CocoaError.self) { try migrate(mapping) }
            #expect(error?.localizedDescription.contains(message) == true)
        }
    }
}

/// Tells in `text` what an expression gave.
final class EchoPolicy: NSEntityMigrationPolicy {
    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        let items = try manager.sourceContext.fetch(request)
        manager.userInfo = [
            "note": "n", "mixed": NSSet(array: items + ["x"]), "list": items + ["x"] as [Any],
            "ordered": NSOrderedSet(array: items.filter { $0.text("name") == "b" } + ["x"]),
        ]
    }

    override func value(
        ofFunction selector: String,
        arguments: [Any?],
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws -> Any? {
        guard selector == "echo:" else {
            return try super.value(
                ofFunction: selector,
                arguments: arguments,
                in: mapping,
                manager: manager
            )
        }
        return describe(arguments[0], manager)
    }

    private func describe(_ value: Any?, _ manager: NSMigrationManager) -> String {
        switch value {
        case let context as NSManagedObjectContext:
            context === manager.sourceContext ? "source" : "destination"
        case let model as NSManagedObjectModel: model.entities.map(\.currentName).joined()
        case let entity as NSEntityDescription: entity.currentName
        case let object as NSManagedObject: "object " + (object.text("name") ?? "")
        case let objects as [NSManagedObject]:
            objects.map { $0.text($0.entity.name == "Item" ? "name" : "kind") ?? "-" }.sorted()
                .joined(separator: ",")
        case let list as [Any]: list.map { "\($0)" }.joined(separator: "+")
        case let number as NSNumber: number.stringValue
        case let text as String: text
        default: "nil"
        }
    }
}
