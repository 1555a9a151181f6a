import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What is no regular file, and files that the user may not use.
@Suite struct UnusualFileTests {
    enum Kind: CaseIterable, Sendable {
        case folder, pipe, device

        func make(_ url: URL) throws {
            switch self {
            case .folder:
                let inside = url.appendingPathComponent("inside")
                try FileManager.default.createDirectory(
                    at: inside,
                    withIntermediateDirectories: true
                )
            case .pipe: #expect(mkfifo(url.path, 0o644) == 0)
            case .device: #expect(symlink("/dev/zero", url.path) == 0)
            }
        }
    }

    private static func add(_ url: URL, _ options: [AnyHashable: Any]? = nil) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
        try coordinator.remove(store)
    }

    private static func model() -> NSManagedObjectModel {
        makeModel([makeEntity("Note", [makeAttribute("name")])])
    }

    /// Nothing waits for them, and nothing of them is removed.
    @Test(arguments: Kind.allCases)
    func whatIsNoFileIsRefusedByAllThatIsDoneToStores(_ kind: Kind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try kind.make(url)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            let steps: [() throws -> Void] = [
                { try Self.add(url) },
                { try Self.add(url, [NSReadOnlyPersistentStoreOption: true]) },
                { try Self.add(url, [NSMigratePersistentStoresAutomaticallyOption: true]) },
                { _ = try SQLiteStore.metadataForPersistentStore(with: url) },
                { try SQLiteStore.setMetadata([:], forPersistentStoreAt: url) },
                { try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType) },
                { _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url) },
            ]
            for step in steps {
                let error = #expect(throws: CocoaError.self) { try step() }
                #expect(error?.code == .fileReadCorruptFile)
                #expect(error?.localizedDescription.contains("not a regular file") == true)
            }
            var info = stat()
            #expect(lstat(url.path, &info) == 0)
            if kind == .folder {
                #expect(FileManager.default.fileExists(atPath: url.path + "/inside"))
            }
        }
    }

    /// Root may do anything, so that the tests give that up, in processes of their own.
    private static func withoutRights(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let isRoot = geteuid() == 0
            if isRoot {
                guard chown(folder.path, 65_534, 65_534) == 0, seteuid(65_534) == 0 else {
                    fatalError("The process keeps its rights.")
                }
            }
            try body(folder)
            if isRoot, seteuid(0) != 0 { fatalError("The process does not get its rights back.") }
        }
    }

    private static func code(_ body: () throws -> Void) throws -> Int? {
        do {
            try body()
            return nil
        } catch let error as CocoaError {
            return error.code.rawValue
        }
    }

    @Test func aFileThatMayNotBeWrittenIsRefusedAtOnceAndTakenLater() async {
        await #expect(processExitsWith: .success) {
            try UnusualFileTests.withoutRights { folder in
                let url = folder.appendingPathComponent("Store.sqlite")
                try UnusualFileTests.add(url)
                chmod(url.path, 0o444)
                let added = try UnusualFileTests.code { try UnusualFileTests.add(url) }
                let set = try UnusualFileTests.code {
                    try SQLiteStore.setMetadata([:], forPersistentStoreAt: url)
                }
                guard added == 513, set == 513 else { fatalError("\(added ?? 0) \(set ?? 0)") }
                try UnusualFileTests.add(url, [NSReadOnlyPersistentStoreOption: true])
                let migrated = try UnusualFileTests.code {
                    try UnusualFileTests.add(
                        url,
                        [
                            NSMigratePersistentStoresAutomaticallyOption: true,
                            NSInferMappingModelAutomaticallyOption: true,
                        ]
                    )
                }
                guard migrated == 513 else { fatalError("\(migrated ?? 0)") }
                // Nothing is left beside it that would be in the way now.
                chmod(url.path, 0o644)
                try UnusualFileTests.add(url)
            }
        }
    }

    @Test func aFolderThatMayNotBeEnteredIsNoMissingFile() async {
        await #expect(processExitsWith: .success) {
            try UnusualFileTests.withoutRights { folder in
                let url = folder.appendingPathComponent("inner/Store.sqlite")
                let inner = url.deletingLastPathComponent()
                mkdir(inner.path, 0o755)
                try UnusualFileTests.add(url)
                chmod(inner.path, 0)
                let codes = try [
                    UnusualFileTests.code { try UnusualFileTests.add(url) },
                    UnusualFileTests.code {
                        _ = try SQLiteStore.metadataForPersistentStore(with: url)
                    },
                ]
                guard codes == [257, 257] else { fatalError("\(codes)") }
                chmod(inner.path, 0o755)
                try UnusualFileTests.add(url)
            }
        }
    }

    @Test func aNewStoreInAFolderThatMayNotBeWrittenIsRefused() async {
        await #expect(processExitsWith: .success) {
            try UnusualFileTests.withoutRights { folder in
                chmod(folder.path, 0o555)
                let url = folder.appendingPathComponent("Store.sqlite")
                let code = try UnusualFileTests.code { try UnusualFileTests.add(url) }
                guard code == 513 else { fatalError("\(code ?? 0)") }
                chmod(folder.path, 0o755)
                try UnusualFileTests.add(url)
            }
        }
    }
}
