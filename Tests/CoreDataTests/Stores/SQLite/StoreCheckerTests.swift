import CSQLite
import Foundation
import Testing

@testable import CoreData

/// The checker in `Tests/StoreChecker` finds nothing wrong in stores of ours, and all that is.
@Suite struct StoreCheckerTests {
    /// A bit of everything that a store has tables, columns or rows for.
    private static let source = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
          <entity name="Document">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="identifier" attributeType="UUID" preserveAfterDeletion="YES"/>
            <attribute name="isOpen" optional="YES" attributeType="Boolean"/>
            <attribute name="edited" optional="YES" attributeType="Date"/>
            <attribute name="price" optional="YES" attributeType="Decimal"/>
            <attribute name="site" optional="YES" attributeType="URI"/>
            <attribute name="scan" optional="YES" attributeType="Binary"
              allowsExternalBinaryDataStorage="YES"/>
            <attribute name="pageCount" optional="YES" attributeType="Integer 64" derived="YES"
              derivationExpression="pages.@count"/>
            <relationship name="pages" optional="YES" toMany="YES" ordered="YES"
              deletionRule="Cascade" destinationEntity="Page" inverseName="document"
              inverseEntity="Page"/>
            <relationship name="tags" optional="YES" toMany="YES" ordered="YES"
              deletionRule="Nullify" destinationEntity="Tag" inverseName="documents"
              inverseEntity="Tag"/>
            <relationship name="cover" optional="YES" maxCount="1" deletionRule="Nullify"
              destinationEntity="Page" inverseName="coverOf" inverseEntity="Page"/>
            <uniquenessConstraints>
              <uniquenessConstraint><constraint value="identifier"/></uniquenessConstraint>
            </uniquenessConstraints>
          </entity>
          <entity name="Letter" parentEntity="Document">
            <attribute name="stamp" optional="YES" attributeType="Integer 16"/>
          </entity>
          <entity name="Page">
            <attribute name="number" optional="YES" attributeType="Integer 32"/>
            <relationship name="document" optional="YES" maxCount="1" deletionRule="Nullify"
              destinationEntity="Document" inverseName="pages" inverseEntity="Document"/>
            <relationship name="coverOf" optional="YES" maxCount="1" deletionRule="Nullify"
              destinationEntity="Document" inverseName="cover" inverseEntity="Document"/>
          </entity>
          <entity name="Tag">
            <attribute name="label" optional="YES" attributeType="String"/>
            <relationship name="documents" optional="YES" toMany="YES" deletionRule="Nullify"
              destinationEntity="Document" inverseName="tags" inverseEntity="Document"/>
            <relationship name="narrower" optional="YES" toMany="YES" deletionRule="Nullify"
              destinationEntity="Tag" inverseName="wider" inverseEntity="Tag"/>
            <relationship name="wider" optional="YES" toMany="YES" deletionRule="Nullify"
              destinationEntity="Tag" inverseName="narrower" inverseEntity="Tag"/>
            <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify"
              destinationEntity="Page"/>
          </entity>
        </model>
        """

    private struct Store {
        let folder: URL
        let model: URL
        let url: URL

        func problems() throws -> [String] { try StoreScripts.problems(url, model: model) }
    }

    /// A store with some rows, history and files, which is closed.
    private func withStore(_ body: (Store) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Checker-\(UUID().uuidString)")
        let file = folder.appendingPathComponent("Documents.xcdatamodel")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.source.utf8).write(to: file.appendingPathComponent("contents"))
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(readingFrom: file)
        )
        let url = folder.appendingPathComponent("Documents.sqlite")
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = "test"
        try context.performAndWait {
            for round in 0..<3 { try StoreExercise(context, round: round).run() }
            let letter = NSEntityDescription.insertNewObject(forEntityName: "Letter", into: context)
            letter.setValue(UUID(), forKey: "identifier")
            letter.mutableOrderedSetValue(forKey: "pages").addObjects(
                from: (0..<3).map { _ in
                    NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
                }
            )
            try context.save()
        }
        try coordinator.remove(store)
        try body(Store(folder: folder, model: file, url: url))
    }

    @Test func storesOfOursKeepAllRules() throws {
        try withStore { store in
            let problems = try store.problems()
            #expect(problems == [])
            let connection = try SQLiteConnection(ConnectionSettings(path: store.url.path))
            for table in [
                "ZDOCUMENT", "ZPAGE", "ZTAG", "Z_1TAGS", "Z_4WIDER", "ACHANGE", "ATRANSACTION",
            ] {
                let count = try connection.integer("SELECT count(*) FROM \(table)")
                #expect((count ?? 0) > 0, "\(table) is empty, and its rules are not tried")
            }
        }
    }

    /// Each breaks one rule; the checker has to name that one.
    private static let corruptions: [(rule: String, sql: String)] = [
        ("primary key", "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Document'"),
        ("primary key", "UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_NAME = 'Letter'"),
        ("primary key", "UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Letter'"),
        ("primary key", "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'"),
        ("primary key", "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Stray', 0, 0)"),
        ("metadata", "DELETE FROM Z_METADATA"),
        ("metadata", "UPDATE Z_METADATA SET Z_UUID = lower(Z_UUID)"),
        ("metadata", "UPDATE Z_METADATA SET Z_PLIST = x'00'"),
        ("tables", "ALTER TABLE ZPAGE RENAME COLUMN ZNUMBER TO ZNUMERAL"),
        ("tables", "ALTER TABLE Z_1TAGS RENAME TO Z_9TAGS"),
        ("rows", "UPDATE ZDOCUMENT SET Z_ENT = 3 WHERE Z_PK = (SELECT max(Z_PK) FROM ZDOCUMENT)"),
        ("rows", "UPDATE ZPAGE SET Z_OPT = 0"),
        ("values", "UPDATE ZDOCUMENT SET ZIDENTIFIER = x'0102'"),
        ("values", "UPDATE ZDOCUMENT SET ZISOPEN = 2"),
        ("values", "UPDATE ZPAGE SET ZNUMBER = 'one'"),
        ("to-one", "UPDATE ZPAGE SET ZDOCUMENT = 9999 WHERE ZDOCUMENT NOT NULL"),
        ("to-one", "UPDATE ZPAGE SET Z1_DOCUMENT = 7 WHERE ZDOCUMENT NOT NULL"),
        ("to-one", "UPDATE ZPAGE SET ZCOVEROF = NULL"),
        ("order", "UPDATE ZPAGE SET Z_FOK_DOCUMENT = NULL"),
        ("order", "UPDATE ZPAGE SET Z_FOK_DOCUMENT = 2048"),
        ("order", "UPDATE Z_1TAGS SET Z_FOK_4TAGS = 1"),
        ("owner", "UPDATE ZPAGE SET Z4NOTES = 9999"),
        ("join", "UPDATE Z_4WIDER SET Z_4NARROWER = 9999 + rowid"),
        ("join", "DELETE FROM ZTAG"),
        ("derived", "UPDATE ZDOCUMENT SET ZPAGECOUNT = 77"),
        ("history", "DELETE FROM ATRANSACTION WHERE Z_PK = 1"),
        ("history", "DELETE FROM ATRANSACTIONSTRING"),
        ("history", "UPDATE ACHANGE SET ZCHANGETYPE = 4 WHERE Z_PK = 1"),
        ("history", "UPDATE ACHANGE SET ZENTITY = 40 WHERE Z_PK = 1"),
        ("history", "UPDATE ACHANGE SET ZCOLUMNS = NULL"),
        ("history", "UPDATE ACHANGE SET ZCOLUMNS = x'' WHERE ZCHANGETYPE = 1"),
        ("history", "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16001"),
        ("external", "UPDATE ZDOCUMENT SET ZSCAN = x'0708'"),
        ("external", "UPDATE ZDOCUMENT SET ZSCAN = NULL"),
    ]

    @Test func eachBrokenRuleIsNamed() throws {
        try withStore { store in
            let sound = try Data(contentsOf: store.url)
            for (rule, sql) in Self.corruptions {
                try sound.write(to: store.url)
                do {
                    let connection = try SQLiteConnection(ConnectionSettings(path: store.url.path))
                    // Indexes and triggers would stand in the way of what is to be broken.
                    try connection.execute(
                        "DROP TRIGGER IF EXISTS Z_DA_ZPAGE_Document_pageCount_PARAMETER_UPDATE_INCREMENT; "
                            + "DROP TRIGGER IF EXISTS "
                            + "Z_DA_ZPAGE_Document_pageCount_PARAMETER_UPDATE_DECREMENT; "
                            + "DROP INDEX IF EXISTS Z_Document_UNIQUE_identifier"
                    )
                    try connection.execute(sql)
                    #expect(connection.changeCount > 0 || sql.hasPrefix("ALTER"))
                }
                let problems = try store.problems()
                #expect(problems.contains { $0.hasPrefix(rule + ": ") }, "\(sql): \(problems)")
            }
        }
    }

    @Test func lostAndStrayFilesAreNamed() throws {
        try withStore { store in
            let folder = store.folder.appendingPathComponent(".Documents_SUPPORT/_EXTERNAL_DATA")
            let file = try #require(
                try FileManager.default.contentsOfDirectory(
                    at: folder,
                    includingPropertiesForKeys: nil
                )
                .first
            )
            let stray = folder.appendingPathComponent(UUID().uuidString)
            try FileManager.default.moveItem(at: file, to: stray)
            let problems = try store.problems()
            #expect(problems.contains { $0.contains("\(file.lastPathComponent) is missing") })
            #expect(problems.contains { $0.contains(stray.lastPathComponent) })
        }
    }

    @Test func aTornPageIsNamed() throws {
        try withStore { store in
            var bytes = try Data(contentsOf: store.url)
            bytes.replaceSubrange(4096..<8192, with: Data(repeating: 0xa5, count: 4096))
            try bytes.write(to: store.url)
            let problems = try store.problems()
            #expect(problems.contains { $0.hasPrefix("integrity: ") })
        }
    }
}
