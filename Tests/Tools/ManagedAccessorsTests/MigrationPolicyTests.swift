import CoreData
import Foundation
import TestSupport
import Testing

/// A policy whose methods a mapping model calls, as people write them.
class NotePolicy: NSEntityMigrationPolicy {
    #if canImport(ObjectiveC)
    @objc
    #endif
    func initial(of text: String?) -> String { String((text ?? "?").prefix(1)) }

    #if canImport(ObjectiveC)
    @objc(scaled:by:)
    #endif
    func scale(_ count: Int, factor: Double) -> NSNumber {
        NSNumber(value: Double(count) * factor)
    }
}

final class StrictNotePolicy: NotePolicy {
    override func initial(of text: String?) -> String { super.initial(of: text).uppercased() }
}

@Suite struct MigrationPolicyTests {
    private static func model(_ attributes: [String: NSAttributeDescription.AttributeType])
        -> NSManagedObjectModel
    {
        let model = NSManagedObjectModel()
        model.entities = [
            LibraryModel.entity(
                "Note",
                NSManagedObject.self,
                attributes.map { LibraryModel.attribute($0, $1) }
            )
        ]
        return model
    }

    /// The notes that a store with some of these titles has once a policy has migrated it.
    private func migrated(
        _ titles: [String?],
        by policy: NSEntityMigrationPolicy.Type,
        _ expressions: [String: String]
    ) throws -> [String] {
        let source = Self.model(["title": .string, "count": .integer64])
        let destination = Self.model(["initial": .string, "weight": .double])
        return try withTemporaryFolder { folder in
            let old = folder.appendingPathComponent("Old.sqlite")
            let new = folder.appendingPathComponent("New.sqlite")
            try withStore(source, old) { context in
                for title in titles {
                    let note = NSEntityDescription.insertNewObject(
                        forEntityName: "Note",
                        into: context
                    )
                    note.setValue(title, forKey: "title")
                    note.setValue(4, forKey: "count")
                }
                try context.save()
            }
            let mapping = NSEntityMapping()
            mapping.name = "NoteToNote"
            mapping.mappingType = .customEntityMappingType
            mapping.sourceEntityName = "Note"
            mapping.destinationEntityName = "Note"
            mapping.entityMigrationPolicyClassName = NSStringFromClass(policy)
            mapping.sourceExpression = NSExpression(
                format: "FETCH(FUNCTION($manager, "
                    + "'fetchRequestForSourceEntityNamed:predicateString:', 'Note', "
                    + "'TRUEPREDICATE'), $manager.sourceContext, NO)"
            )
            mapping.attributeMappings = expressions.map { name, text in
                let property = NSPropertyMapping()
                property.name = name
                property.valueExpression = NSExpression(format: text)
                return property
            }
            let mappings = NSMappingModel()
            mappings.entityMappings = [mapping]
            try NSMigrationManager(sourceModel: source, destinationModel: destination)
                .migrateStore(
                    from: old,
                    sourceType: NSSQLiteStoreType,
                    options: nil,
                    with: mappings,
                    toDestinationURL: new,
                    destinationType: NSSQLiteStoreType,
                    destinationOptions: nil
                )
            var notes: [String] = []
            try withStore(destination, new) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                request.sortDescriptors = [NSSortDescriptor(key: "initial", ascending: true)]
                notes = try context.fetch(request).map { note in
                    let initial = note.value(forKey: "initial") as? String ?? "nil"
                    let weight = note.value(forKey: "weight") as? Double ?? 0
                    return "\(initial) \(weight)"
                }
            }
            return notes
        }
    }

    private func withStore(
        _ model: NSManagedObjectModel,
        _ url: URL,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: nil
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.onQueue { try body(context) }
        try coordinator.remove(store)
    }

    private let expressions = [
        "initial": "FUNCTION($entityPolicy, 'initialOf:', $source.title)",
        "weight": "FUNCTION($entityPolicy, 'scaled:by:', $source.count, 2.5)",
    ]

    @Test func expressionsCallMethodsOfThePolicy() throws {
        let notes = try migrated(["ann", nil], by: NotePolicy.self, expressions)
        #expect(notes == ["? 10.0", "a 10.0"])
    }

    @Test func overridesOfASubclassAreCalled() throws {
        let notes = try migrated(["ann"], by: StrictNotePolicy.self, expressions)
        #expect(notes == ["A 10.0"])
    }

    @Test(arguments: [
        ("'scaled:by:', 'much', 2", "String"), ("'scaled:by:', $source.count, nil", "nil"),
        ("'initialOf'", "initialOf"),
    ])
    func whatCanNotBeCalledIsAnError(call: String, word: String) throws {
        let error = #expect(throws: CocoaError.self) {
            try migrated(
                ["ann"],
                by: NotePolicy.self,
                ["initial": "FUNCTION($entityPolicy, \(call))"]
            )
        }
        #expect(error?.code.rawValue == NSEntityMigrationPolicyError)
        #expect(error?.localizedDescription.contains(word) == true)
    }
}
