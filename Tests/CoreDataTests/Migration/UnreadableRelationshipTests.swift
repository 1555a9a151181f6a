import Foundation
import Testing

@testable import CoreData

/// Stores that are migrated by a mapping model, and whose relationships can't be read at the moment.
@Suite(.serialized) struct UnreadableRelationshipTests {
    private static func model(isNew: Bool) -> NSManagedObjectModel {
        let shelf = makeEntity("Shelf", [makeAttribute("name")])
        let book = makeEntity("Book", [makeAttribute("name")])
        let books = makeRelationship("books", to: book, many: true)
        let back = makeRelationship("shelves", to: shelf, many: true)
        connect(books, back)
        shelf.properties.append(books)
        book.properties.append(back)
        if isNew { book.properties.append(makeAttribute("added")) }
        return makeModel([shelf, book])
    }

    /// A getter can't throw, and gives nothing: that must not become what the new store says.
    @Test func aRelationshipThatCantBeReadIsNotMigratedAsEmpty() throws {
        FaultyFiles.install
        let fixture = try MigrationFixture(Self.model(isNew: false)) { context in
            // So many that their join table has pages of its own, which are read for it.
            let books = (0..<500).map { context.insert("Book", ["name": "\($0)"]) }
            for index in 0..<3 {
                context.insert("Shelf", ["name": "\(index)", "books": Set(books)])
            }
        }
        let old = Self.model(isNew: false), new = Self.model(isNew: true)
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old,
            destinationModel: new
        )
        var target = 0, operationCount = 0, failureCount = 0
        repeat {
            target += 1
            let folder = fixture.folder.appendingPathComponent("\(target)", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = folder.appendingPathComponent("Store.sqlite")
            let destination = folder.appendingPathComponent("New.sqlite")
            try FileManager.default.copyItem(at: fixture.url, to: url)
            var failure: (any Error)?
            operationCount = FaultyFiles.whileFailing(.once, at: target, of: .reads, in: folder) {
                do {
                    try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                        from: url,
                        sourceType: NSSQLiteStoreType,
                        with: mapping,
                        toDestinationURL: destination,
                        destinationType: NSSQLiteStoreType
                    )
                } catch {
                    failure = error
                }
            }
            failureCount += failure == nil ? 0 : 1
            if failure == nil {
                let join = try #require(
                    MigrationFixture.shell(
                        "SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'",
                        destination
                    ).first
                )
                #expect(
                    try MigrationFixture.shell("SELECT count(*) FROM \(join)", destination)
                        == ["1500"],
                    "operation \(target)"
                )
            }
        } while target <= operationCount
        #expect(failureCount > 0)
    }
}
