import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Names of entities and properties that mean something else to SQL, to a file or to a request.
@Suite struct HostileNameTests {
    private func add(
        _ model: NSManagedObjectModel,
        _ type: String,
        _ url: URL
    ) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }

    static let families = [
        ["Item", "ITEM"], ["straße", "Strasse"], ["_METADATA"], ["_PrimaryKey"],
    ]

    @Test(arguments: families)
    func entitiesWhoseTablesWouldHaveOneNameAreRefused(_ names: [String]) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let model = makeModel(names.map { makeEntity($0, [makeAttribute("name")]) })
            let error = #expect(throws: CocoaError.self) { try add(model, NSSQLiteStoreType, url) }
            #expect(error?.code.rawValue == NSPersistentStoreOpenError)
            #expect(error?.localizedDescription.contains("rename one of the entities") == true)
            // What is left is an empty database, which another model's store is made of.
            let other = makeModel([makeEntity("Note", [makeAttribute("name")])])
            _ = try add(other, NSSQLiteStoreType, url)
            // Elsewhere names are names.
            let (_, context) = try add(model, NSInMemoryStoreType, url)
            try context.onQueue {
                for name in names { context.insert(name, ["name": name]) }
                try context.save()
                for name in names {
                    #expect(try context.objects(name, by: "name").map { $0.text("name") } == [name])
                }
            }
        }
    }

    @Test(arguments: ["two words", "a\tb", "100%25", "a\u{A0}b", "x/1"])
    func anXMLStoreIsReadAgainWhateverItsEntitiesAreCalled(_ name: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.xml")
            let note = makeEntity(name, [makeAttribute("name")])
            let tag = makeEntity("Tag", [makeAttribute("name")])
            let tags = makeRelationship("tags", to: tag, many: true)
            let notes = makeRelationship("notes", to: note, many: true)
            connect(tags, notes)
            note.properties.append(tags)
            tag.properties.append(notes)
            let model = makeModel([note, tag])
            let (_, writer) = try add(model, NSXMLStoreType, url)
            try writer.onQueue {
                let tag = writer.insert("Tag", ["name": "t"])
                for index in 0..<3 {
                    writer.insert(name, ["name": "\(index)", "tags": NSSet(object: tag)])
                }
                try writer.save()
            }
            let (_, reader) = try add(model, NSXMLStoreType, url)
            try reader.onQueue {
                let tag = try #require(try reader.objects("Tag", by: "name").first)
                #expect((tag.value(forKey: "notes") as? NSSet)?.count == 3)
            }
        }
    }

    /// A property of such a name goes before what the object says of itself.
    @Test(arguments: ["self", "SELF", "entity"], [NSSQLiteStoreType, NSInMemoryStoreType])
    func columnsOfRequestsAreProperties(_ name: String, _ type: String) throws {
        let model = makeModel([makeEntity("Note", [makeAttribute(name)])])
        let (_, context) = try add(model, type, URL(fileURLWithPath: "/dev/null"))
        try context.onQueue {
            context.insert("Note", [name: "value"])
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Note")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [name]
            #expect(try context.fetch(request).map { $0[name] as? String } == ["value"])
        }
    }
}
