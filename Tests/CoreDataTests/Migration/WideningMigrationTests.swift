import Foundation
import Testing

@testable import CoreData

/// Attributes whose type changes and relationships that lead elsewhere, as shipped apps had them
/// inferred.
@Suite struct WideningMigrationTests {
    struct Change: CustomStringConvertible, Sendable {
        let source: NSAttributeType
        let destination: NSAttributeType
        let values: [Double]
        var description: String { "\(source.sourceName) to \(destination.sourceName)" }
    }

    static let changes: [Change] = {
        let integers: [(NSAttributeType, [Double])] = [
            (.booleanAttributeType, [0, 1]), (.integer16AttributeType, [-32_768, 32_767]),
            (.integer32AttributeType, [-2_147_483_648, 2_147_483_647]),
        ]
        var changes = integers.enumerated().flatMap { place, kind in
            (integers.dropFirst(place + 1).map(\.0)
                + [.integer64AttributeType, .decimalAttributeType, .doubleAttributeType])
                .map { Change(source: kind.0, destination: $0, values: kind.1) }
        }
        changes += [.decimalAttributeType, .doubleAttributeType].map { destination in
            Change(
                source: .integer64AttributeType,
                destination: destination,
                values: [-9_007_199_254_740_992, 9_007_199_254_740_992]
            )
        }
        changes.append(
            Change(
                source: .floatAttributeType,
                destination: .doubleAttributeType,
                values: [-1.5, 0.25]
            )
        )
        return changes
    }()

    private func model(_ name: String, _ type: NSAttributeType) -> NSManagedObjectModel {
        let value = makeAttribute(name, type)
        if name != "value" { value.renamingIdentifier = "value" }
        return makeModel([makeEntity("Note", [makeAttribute("name"), value])])
    }

    @Test(arguments: WideningMigrationTests.changes.indices, ["value", "renamed"])
    func valuesStayWhatTheyAre(index: Int, name: String) throws {
        let change = Self.changes[index]
        let old = model("value", change.source), new = model(name, change.destination)
        let fixture = try MigrationFixture(old) { context in
            for (place, value) in change.values.enumerated() {
                context.insert("Note", ["name": "\(place)", "value": NSNumber(value: value)])
            }
            context.insert("Note", ["name": "x"])
        }
        let forecast = MigrationForecast(from: old, to: new)
        #expect(
            forecast.changes.contains {
                $0.text.contains("type from \(change.source.sourceName)") && $0.isInferable
            }
        )
        try fixture.migrate(to: new)
        try fixture.open(new) { context in
            let notes = try context.objects("Note", by: "name")
            let values = notes.map { ($0.value(forKey: name) as? NSNumber)?.doubleValue }
            #expect(values == change.values.map(Optional.some) + [nil], "\(change)")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            let value = NSNumber(value: change.values[1])
            request.predicate = NSPredicate(format: "%K == %@", name, value)
            let found = try context.fetch(request)
            #expect(found.count == 1, "\(change)")
        }
        try fixture.expectDefinitions(ofNew: new)
    }

    /// Binary and XML stores are made anew, object by object.
    @Test func storesThatAreMadeAnewWidenToo() throws {
        let old = model("value", .booleanAttributeType)
        let new = model("renamed", .integer32AttributeType)
        let fixture = try MigrationFixture(old) {
            $0.insert("Note", ["name": "a", "value": true])
        }
        let url = fixture.folder.appendingPathComponent("Store.new")
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        try manager.migrateStore(
            from: fixture.url,
            sourceType: NSSQLiteStoreType,
            with: .inferredMappingModel(forSourceModel: old, destinationModel: new),
            toDestinationURL: url,
            destinationType: NSBinaryStoreType
        )
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
        _ = try coordinator.addPersistentStore(type: .binary, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let notes = try context.objects("Note", by: "name")
            #expect(notes.map { $0.value(forKey: "renamed") as? Int } == [1])
        }
    }

    @Test(arguments: [
        (NSAttributeType.integer64AttributeType, NSAttributeType.integer32AttributeType),
        (.doubleAttributeType, .floatAttributeType),
        (.integer32AttributeType, .booleanAttributeType),
        (.doubleAttributeType, .decimalAttributeType),
    ])
    func whatCouldLoseValuesIsRefusedWithASentence(
        source: NSAttributeType,
        destination: NSAttributeType
    ) throws {
        let problems = InferenceProblem.all(
            in: ModelMatch(
                source: model("value", source).entities,
                destination: model("value", destination).entities
            )
        )
        #expect(
            problems.map(\.reason) == [
                "Source and destination attribute types are incompatible: \(source.sourceName) as "
                    + "\(destination.sourceName) could lose values"
            ]
        )
        let text = InferenceProblem.all(
            in: ModelMatch(
                source: model("value", .stringAttributeType).entities,
                destination: model("value", destination).entities
            )
        )
        #expect(
            text.map(\.reason) == ["Source and destination attribute types are incompatible"]
        )
    }

    // MARK: Relationships

    private func shop(
        narrowed: Bool,
        isOptional: Bool = true,
        many: Bool = false
    ) -> NSManagedObjectModel {
        let item = makeEntity("Item", [makeAttribute("name")])
        let toy = narrowed ? makeEntity("Toy", parent: item) : nil
        let box = makeEntity("Box", [makeAttribute("name")])
        let content = makeRelationship("content", to: toy ?? item, many: many)
        content.isOptional = isOptional
        box.properties.append(content)
        return makeModel([item, toy, box].compactMap { $0 })
    }

    @Test(arguments: [false, true])
    func aRelationshipMayLeadToANewSubEntity(many: Bool) throws {
        let old = shop(narrowed: false, many: many), new = shop(narrowed: true, many: many)
        let fixture = try MigrationFixture(old) { context in
            let item = context.insert("Item", ["name": "i"])
            let box = context.insert("Box", ["name": "b"])
            box.setValue(many ? Set([item]) as Any : item, forKey: "content")
        }
        #expect(
            MigrationForecast(from: old, to: new).changes.contains {
                $0.text == "leads to Toy, and links to other objects go" && $0.isInferable
            }
        )
        try fixture.migrate(to: new)
        try fixture.open(new) { context in
            let boxes = try context.objects("Box", by: "name")
            let items = try context.objects("Item", by: "name")
            #expect(boxes.count == 1 && items.map(\.entity.name) == ["Item"])
            #expect(many ? boxes[0].texts("content") == [] : boxes[0].object("content") == nil)
            let toy = context.insert("Toy", ["name": "t"])
            boxes[0].setValue(many ? Set([toy]) as Any : toy, forKey: "content")
            try context.save()
        }
        try fixture.expectDefinitions(ofNew: new)
    }

    @Test func aRequiredOneIsRefusedIfItHasLinks() throws {
        let old = shop(narrowed: false, isOptional: false)
        let new = shop(narrowed: true, isOptional: false)
        let fixture = try MigrationFixture(old) { context in
            let item = context.insert("Item", ["name": "i"])
            context.insert("Box", ["name": "b", "content": item])
        }
        let before = try Data(contentsOf: fixture.url)
        let error = #expect(throws: CocoaError.self) { try fixture.migrate(to: new) }
        #expect(error?.errorCode == NSMigrationError)
        #expect(error?.localizedDescription.contains("Box.content") == true)
        #expect(try Data(contentsOf: fixture.url) == before)
    }

    /// Some of its links may be to objects of another one.
    @Test func anExistingSubEntityIsRefused() throws {
        func model(_ narrowed: Bool) -> NSManagedObjectModel {
            let item = makeEntity("Item", [makeAttribute("name")])
            let toy = makeEntity("Toy", parent: item)
            let content = makeRelationship("content", to: narrowed ? toy : item)
            return makeModel([item, toy, makeEntity("Box", [content])])
        }
        let problems = InferenceProblem.all(
            in: ModelMatch(source: model(false).entities, destination: model(true).entities)
        )
        #expect(problems.map(\.property) == ["content"])
    }
}
