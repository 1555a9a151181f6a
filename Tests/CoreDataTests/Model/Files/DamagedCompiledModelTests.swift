import TestSupport
import Testing

@testable import CoreData

/// Compiled models that are damaged in one kind of object, or say what is not known.
@Suite struct DamagedCompiledModelTests {
    /// A model with a part of each kind.
    private static func compiled() throws -> Data {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../Fuzz/Corpus/Parts.xcdatamodel").standardizedFileURL
        let model = try NSManagedObjectModel(readingFrom: source)
        return ModelArchiveWriter.data(model, .compiled).data
    }

    private func read(_ damage: ModelDamage) throws -> NSManagedObjectModel {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Parts.mom")
            try damage.done(to: Self.compiled()).write(to: url)
            return try NSManagedObjectModel(readingFrom: url)
        }
    }

    private static func entity(_ name: String) -> CraftedValue {
        .object("NSEntityDescription", ["NSEntityName": .plain(.string(name))])
    }

    /// Relationships, each under a key of its own.
    private static func properties(_ names: String...) -> CraftedValue {
        .dictionary(
            names.enumerated().map { number, name in
                let fields: [String: CraftedValue] = [
                    "NSPropertyName": .plain(.string(name)), "NSDestinationEntity": entity("A"),
                ]
                return (
                    .plain(.string("\(number)")), .object("NSRelationshipDescription", fields)
                )
            }
        )
    }

    /// Composites in one another, deeper than any that a program has.
    private static let deepElements = (0..<20).reduce(CraftedValue.list([])) { elements, _ in
        [
            .object(
                "NSCompositeAttributeDescription",
                ["NSPropertyName": "x", "NSElements": elements]
            )
        ]
    }

    private static let refused: [(ModelDamage, String)] = [
        (.init("NSManagedObjectModel", "NSEntities", nil), "a model without entities"),
        (.init("NSManagedObjectModel", "NSEntities", ["A": 7]), "has no name"),
        (.init("NSManagedObjectModel", "NSEntities", "A"), "NSEntities"),
        (
            .init("NSManagedObjectModel", "NSConfigurations", [7: []]),
            "NSConfigurations"
        ),
        (
            .init("NSManagedObjectModel", "NSConfigurations", ["C": ["A"]]),
            "NSConfigurations"
        ),
        (
            .init("NSManagedObjectModel", "NSFetchRequestTemplates", ["R": 7]),
            "NSFetchRequestTemplates"
        ),
        (.init("NSEntityDescription", "NSEntityName", ""), "an entity has no name"),
        (.init("NSEntityDescription", "NSSuperentity", entity("B")), "inherits from itself"),
        (.init("NSEntityDescription", "NSUniqueTuples", ["c"]), "NSUniqueTuples"),
        (.init("NSEntityDescription", "NSUniqueTuples", [[7]]), "NSUniqueTuples"),
        (.init("NSEntityDescription", "NSUniqueTuples", [["gone"]]), "which does not exist"),
        (
            .init("NSEntityDescription", "NSProperties", properties("r", "r")),
            "two properties named \"r\""
        ),
        (.init("NSEntityDescription", "NSProperties", ["a": 7]), "NS.objects"),
        (.init("NSEntityDescription", "NSProperties", properties("")), "a property has no name"),
        (.init("NSAttributeDescription", "NSAttributeType", 77), "the type 77 of the attribute"),
        (
            .init("NSAttributeDescription", "NSValidationPredicates", [7]),
            "NSValidationPredicates"
        ),
        (.init("NSRelationshipDescription", "NSMaxCount", 8_589_934_592), "NSMaxCount"),
        (.init("NSRelationshipDescription", "NSDeleteRule", 99), "NSDeleteRule"),
        (
            .init("NSRelationshipDescription", "NSDestinationEntity", entity("Gone")),
            "the destination \"Gone\" of the relationship A.many does not exist"
        ),
        (
            .init("NSRelationshipDescription", "_NSInverseRelationshipName", "gone"),
            "the inverse \"gone\" of the relationship A.many does not exist"
        ),
        (
            .init("NSCompositeAttributeDescription", "NSElements", deepElements),
            "nested too deep"
        ),
        (.init("NSFetchIndexDescription", "NSIndexName", ""), "NSIndexName"),
        (.init("NSFetchIndexDescription", "NSIndexElements", [7]), "NSIndexElements"),
        (.init("NSEntityDescription", "NSFetchIndexDescriptions", ["i"]), "NS.objects"),
    ]

    @Test(arguments: refused.indices)
    func whatMakesNoSenseIsRefused(_ index: Int) {
        let (damage, reason) = Self.refused[index]
        let text = message { _ = try read(damage) }
        #expect(text.contains("Parts.mom") && text.contains(reason), "\(text)")
    }

    private static let noted: [(ModelDamage, String)] = [
        (
            .init("NSAttributeDescription", "NSFuture", .dangling),
            "the field NSFuture of NSAttributeDescription is not known"
        ),
        (
            .init("NSAttributeDescription", "NSFlagsKey", 33),
            "the bits 33 of NSFlagsKey are not known"
        ),
        (
            .init("NSAttributeDescription", "NSDefaultValue", .object("NSThread")),
            "the default value cannot be read"
        ),
        (
            .init("NSAttributeDescription", "NSDefaultValue", [1]),
            "the default value is of another type than the attribute"
        ),
        (
            .init("NSAttributeDescription", "NSValidationPredicates", [.object("NSThing")]),
            "a validation predicate cannot be read, since predicates of class NSThing"
        ),
        (
            .init("NSDerivedAttributeDescription", "NSDerivationExpression", .object("NSThing")),
            "the derivation cannot be read, since expressions of class NSThing"
        ),
        (
            .init("NSDerivedAttributeDescription", "NSFilteringPredicate", .object("NSThing")),
            "the filter of the derivation is left out"
        ),
        (
            .init("NSCompositeAttributeDescription", "NSElements", [7]),
            "the elements of the composite attribute were not found"
        ),
        (.init("NSFetchRequest", "NSEntity", .nothing), "left out, since it has no entity"),
        (.init("NSFetchRequest", "NSFetchLimit", -1), "left out, since the field NSFetchLimit"),
        (.init("NSFetchRequest", "NSFetchRequestFlags", 3), "NSFetchRequestFlags is 3"),
        (.init("NSFetchRequest", "NSValuesToFetch", [7]), "since the field NSValuesToFetch"),
        (
            .init("NSFetchRequest", "NSValuesToFetch", [.object("NSNull")]),
            "since the field NSValuesToFetch"
        ),
        (
            .init("NSFetchIndexElementDescription", "NSFetchIndexElementType", 7),
            "the type 7 of an element is not known"
        ),
        (
            .init("NSFetchIndexElementDescription", "NSPropertyName", "gone"),
            "an element is no property of the entity"
        ),
        (
            .init("NSFetchIndexDescription", "NSPartialIndexPredicate", .object("NSThing")),
            "the predicate cannot be read, since predicates of class NSThing are not known"
        ),
    ]

    @Test(arguments: noted.indices)
    func whatIsNotKnownIsNoted(_ index: Int) throws {
        let (damage, sentence) = Self.noted[index]
        let model = try read(damage)
        #expect(model.unrecognizedParts.contains { $0.contains(sentence) })
        #expect(model.entities.map(\.name) == ["A", "B"])
    }

    @Test func elementsOfCompositesDoNotMultiply() throws {
        let builder = KeyedArchiveBuilder()
        func named(_ name: String, _ value: PropertyListValue) -> PropertyListValue {
            builder.dictionary([(key: builder.string(name), value: value)])
        }
        func composite(_ elements: [PropertyListValue]) -> PropertyListValue {
            builder.object(
                ["NSCompositeAttributeDescription", "NSObject"],
                ["NSPropertyName": .string("x"), "NSElements": builder.array(elements)]
            )
        }
        var attribute = builder.object(
            ["NSAttributeDescription", "NSObject"],
            ["NSPropertyName": .string("x")]
        )
        for _ in 0..<4 { attribute = composite(Array(repeating: attribute, count: 20)) }
        let entity = builder.object(
            ["NSEntityDescription", "NSObject"],
            ["NSEntityName": .string("A"), "NSProperties": named("x", attribute)]
        )
        let root = builder.object(
            ["NSManagedObjectModel", "NSObject"],
            ["NSEntities": named("A", entity)]
        )
        let data = builder.data(root: root)
        let error = #expect(throws: ArchiveError.self) {
            try ModelArchiveReader.read(data, into: NSManagedObjectModel())
        }
        #expect(error?.reason == "composite attributes have too many elements")
    }
}
