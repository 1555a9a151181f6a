import CoreData
import MergeStack
import StackSupport
import StoreInspection
import Threads
import XCTest

@testable import MergeExchange

/// A stack over a model with people, cities and all attribute types, and files to import.
final class ImportStack: Sendable {
    let directory: URL
    let stack: NotificationMergeStack

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("ImporterTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let store = NSPersistentStoreDescription(url: directory.appendingPathComponent("s.sqlite"))
        stack = try NotificationMergeStack(model: Self.makeModel(), stores: [store])
    }

    func remove() {
        do {
            try stack.tearDown()
            try FileManager.default.removeItem(at: directory)
        } catch {
            XCTFail("\(error)")
        }
    }

    /// Imports a text off the main thread while the main queue runs.
    func importText(
        _ text: String,
        as name: String = "file.csv",
        entity: String = "Person",
        options: ImportOptions = ImportOptions(),
        progress: Progress? = nil,
        in test: XCTestCase
    ) throws -> ImportResult {
        let url = directory.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        let outcome = Guarded<Result<ImportResult, any Error>?>(nil)
        let box = Guarded(progress)
        let done = test.background {
            let result = Result {
                try Importer(stack: self.stack, options: options).importFileAndWait(
                    at: url,
                    entityName: entity,
                    progress: box.withLock { $0 }
                )
            }
            outcome.withLock { $0 = result }
        }
        test.wait(for: [done], timeout: 120)
        stack.merger.waitUntilSettled()
        return try XCTUnwrap(outcome.withLock { $0 }).get()
    }

    /// Rows of an entity, as its query prints them, by its key.
    func rows(_ entity: String, sort: String) throws -> [[String: Any]] {
        let table = try ObjectQuery(entityName: entity, sortKeys: [sort])
            .table(in: stack.mainContext)
        return table.rows.map { row in
            var values: [String: Any] = [:]
            for (column, value) in zip(table.columns, row) { values[column] = value }
            return values
        }
    }

    func count(_ entity: String) throws -> Int {
        try XCTUnwrap(EntityCounts.counts(in: stack).first { $0.entity == entity }).count
    }

    // MARK: Model

    static func makeModel() -> NSManagedObjectModel {
        let person = NSEntityDescription()
        person.name = "Person"
        person.userInfo = ["relatedByAttribute": "code"]
        let city = NSEntityDescription()
        city.name = "City"
        let home = relationship(
            "home",
            to: city,
            maxCount: 1,
            userInfo: ["relatedByAttribute": "cityID"]
        )
        let people = relationship("people", to: person, maxCount: 0)
        let friends = relationship(
            "friends",
            to: person,
            maxCount: 0,
            userInfo: ["mappedKeyName": "friendCodes", "separator": ";"]
        )
        (home.inverseRelationship, people.inverseRelationship) = (people, home)
        friends.inverseRelationship = friends
        person.properties = [
            attribute("code", .integer32AttributeType, isOptional: false),
            attribute(
                "name",
                .stringAttributeType,
                isOptional: false,
                userInfo: ["mappedKeyName": "full.name", "mappedKeyName.1": "fullName"]
            ),
            attribute("isMember", .booleanAttributeType),
            attribute("born", .dateAttributeType, userInfo: ["dateFormat": "dd.MM.yyyy"]),
            attribute("seen", .dateAttributeType),
            attribute("height", .doubleAttributeType),
            attribute("balance", .decimalAttributeType),
            attribute("token", .UUIDAttributeType),
            attribute("page", .URIAttributeType),
            attribute("key", .binaryDataAttributeType),
            home, friends,
        ]
        city.properties = [
            attribute("cityID", .stringAttributeType, isOptional: false),
            attribute("size", .integer16AttributeType),
            people,
        ]
        let model = NSManagedObjectModel()
        model.entities = [person, city]
        return model
    }

    private static func attribute(
        _ name: String,
        _ type: NSAttributeType,
        isOptional: Bool = true,
        userInfo: [String: String] = [:]
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        attribute.userInfo = userInfo
        return attribute
    }

    private static func relationship(
        _ name: String,
        to destination: NSEntityDescription,
        maxCount: Int,
        userInfo: [String: String] = [:]
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = maxCount
        relationship.userInfo = userInfo
        return relationship
    }
}
