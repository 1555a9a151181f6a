import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Migrations of stores that Apple's framework wrote, where they are at hand beside the checkout.
@Suite(.enabled(if: Samples.areThere("sqlite", "xcdatamodel"), "needs shared/samples"))
struct SampleMigrationTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let store: String
        /// The versions of the model.
        let versions: String
        /// The store's version among them.
        let own: String
        /// The version to go to; nil for the current one.
        var end: String?
        var testDescription: String { store }
    }

    private static let all = [
        Sample(
            store: "coredataplus-samplemodel/SampleModel_V1.sqlite",
            versions: "coredataplus-samplemodel/SampleModel.xcdatamodeld",
            own: "SampleModel",
            end: "SampleModel2"
        ),
        Sample(
            store: "coredataplus-samplemodel/SampleModel_V2.sqlite",
            versions: "coredataplus-samplemodel/SampleModel.xcdatamodeld",
            own: "SampleModel2"
        ),
        Sample(
            store: "coredataplus-samplemodel3/SampleModel3_V1.sqlite",
            versions: "coredataplus-samplemodel3/SampleModel3.xcdatamodeld",
            own: "SampleModel3"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V1.sqlite",
            versions: "ddg-bookmarks/BookmarksModel.xcdatamodeld",
            own: "BookmarksModel"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V2.sqlite",
            versions: "ddg-bookmarks/BookmarksModel.xcdatamodeld",
            own: "BookmarksModel 2"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V4.sqlite",
            versions: "ddg-bookmarks/BookmarksModel.xcdatamodeld",
            own: "BookmarksModel 4"
        ),
        Sample(
            store: "carekit/SampleStore2.0.sqlite",
            versions: "carekit/CareKitStore.xcdatamodeld",
            own: "CareKitStore2.0",
            // The next version makes relationships of attributes.
            end: "CareKitStore2.0"
        ),
        Sample(
            store: "apptentive/ATDataModelv1.sqlite",
            versions: "apptentive/ATDataModel.xcdatamodeld",
            own: "ATDataModel"
        ),
    ]

    private func withCopy(
        _ sample: Sample,
        _ body: (_ url: URL, _ versions: [NSManagedObjectModel], _ own: Int) throws -> Void
    ) throws {
        let versions = try NSManagedObjectModel.versions(
            readingFrom: try Samples.url("xcdatamodel/\(sample.versions)")
        )
        let own = try #require(
            versions.firstIndex {
                $0.fileURL?.deletingPathExtension().lastPathComponent == sample.own
            }
        )
        try Samples.withCopy(of: sample.store) { try body($0, versions, own) }
    }

    /// The values of each column of each entity, by the names that they have in the source.
    private func content(_ url: URL, _ schema: StoreSchema, _ match: [String: Names]) throws
        -> [String]
    {
        var lines: [String] = []
        for entity in schema.members {
            guard let names = match[entity.name],
                let table = schema.entityTable(rootIndex: entity.rootIndex)?.name
            else { continue }
            let number = schema.numbers[entity.index]
            for slot in entity.slots {
                guard let name = names.properties[slot.name],
                    let column = schema.columns(entity, slot.index).value
                else { continue }
                lines += try MigrationFixture.shell(
                    "SELECT Z_PK || ' ' || quote(\(SQLName.quoted(column))) FROM \(table) "
                        + "WHERE Z_ENT = \(number)",
                    url
                ).map { "\(names.entity).\(name) \($0)" }
            }
            for slot in entity.slots where slot.declaringEntityIndex == entity.index {
                guard let name = names.properties[slot.name],
                    case .join(let join, let own, let other, _, _)? = schema.access(slot)
                else { continue }
                lines += try MigrationFixture.shell(
                    "SELECT \(own) || ' ' || \(other) FROM \(join)",
                    url
                ).map { "\(names.entity).\(name) \($0)" }
            }
        }
        return lines.sorted()
    }

    /// What an entity and its properties are called in the source.
    private struct Names {
        let entity: String
        let properties: [String: String]
    }

    private func schema(_ model: NSManagedObjectModel, _ url: URL) throws -> StoreSchema {
        let layout = model.layout
        let connection = try SQLiteConnection(ConnectionSettings(path: url.path))
        return try StoreSchema(model: layout, entities: layout.entities)
            .resolved(in: connection, url: url)
    }

    /// All values that stand in both versions are the same before and after.
    private func checkContent(
        _ url: URL,
        from old: NSManagedObjectModel,
        to new: NSManagedObjectModel,
        _ migrate: () throws -> Void
    ) throws {
        let pairs = ModelMatch(source: old.entities, destination: new.entities).pairs
        let before = Dictionary(
            uniqueKeysWithValues: pairs.map { pair in
                let names = pair.sourceProperties.values.map { ($0.name, $0.name) }
                return (
                    pair.source.currentName,
                    Names(
                        entity: pair.source.currentName,
                        properties: Dictionary(names, uniquingKeysWith: { $1 })
                    )
                )
            }
        )
        let after = Dictionary(
            uniqueKeysWithValues: pairs.map { pair in
                (
                    pair.destination.currentName,
                    Names(
                        entity: pair.source.currentName,
                        properties: pair.sourceProperties.mapValues(\.name)
                    )
                )
            }
        )
        let expected = try content(url, schema(old, url), before)
        try migrate()
        let found = try content(url, schema(new, url), after)
        #expect(!expected.isEmpty)
        #expect(found.count == expected.count)
        #expect(found == expected)
        #expect(try MigrationFixture.shell("PRAGMA integrity_check", url) == ["ok"])
    }

    @Test(arguments: SampleMigrationTests.all)
    func storesGoToTheNewestVersion(_ sample: Sample) throws {
        try withCopy(sample) { url, versions, own in
            let end =
                versions.first {
                    $0.fileURL?.deletingPathExtension().lastPathComponent == sample.end
                } ?? versions[versions.count - 1]
            let plan = try StoreMigrationPlan(forStoreAt: url, to: end, through: versions)
            #expect(plan.steps.isEmpty == (sample.end == sample.own))
            #expect(
                plan.steps.first?.source.fileURL ?? versions[own].fileURL == versions[own].fileURL
            )
            var counts: [String: Int] = [:]
            for pair in ModelMatch(source: versions[own].entities, destination: end.entities).pairs
            {
                counts[pair.destination.currentName] = try inspect(url)[pair.source.currentName]
            }
            try plan.run()
            let found = try inspect(url)
            for (entity, count) in counts { #expect(found[entity] == count, "\(entity)") }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: end)
            try coordinator.remove(try coordinator.addPersistentStore(type: .sqlite, at: url))
            #expect(try MigrationFixture.shell("PRAGMA integrity_check", url) == ["ok"])
        }
    }

    private func inspect(_ url: URL) throws -> [String: Int] {
        let inspection = try NSPersistentStoreCoordinator.inspection(ofSQLiteStoreAt: url)
        return Dictionary(
            inspection.entities.map { ($0.name, $0.rowCount) },
            uniquingKeysWith: { $1 }
        )
    }

    /// A new first entity renumbers all others, and with them tables and columns.
    @Test(arguments: SampleMigrationTests.all)
    func storesKeepAllValuesInAnEditedModel(_ sample: Sample) throws {
        try withCopy(sample) { url, versions, own in
            let old = versions[own]
            let new = try #require(old.copy() as? NSManagedObjectModel)
            for entity in new.entities where entity.superentity == nil {
                if let attribute = entity.ownProperties.first(where: {
                    $0 is NSAttributeDescription && !$0.isTransient
                        && !entity.uniqueKeyGroups.joined().contains($0.name)
                        && !entity.indexes.contains { !$0.elements.isEmpty }
                }) {
                    attribute.renamingIdentifier = attribute.renamingIdentifier
                    attribute.name += "Renamed"
                }
                let added = makeAttribute("zzzAdded", .integer64AttributeType, optional: false)
                added.defaultValue = 7
                entity.properties.append(added)
            }
            new.entities.append(makeEntity("AAAFirst"))
            try checkContent(url, from: old, to: new) {
                try SQLiteStore.migrate(
                    at: url,
                    options: nil,
                    from: StoreVersion(old, entityNames: nil),
                    to: StoreVersion(new, entityNames: nil)
                )
            }
        }
    }
}
