import CoreData
import Foundation
import StackSupport
import TestSupport
import Testing
import Threads

@testable import MergeStack

/// A prepared store at an app's first start.
@Suite struct StoreSeedTests {
    private static let suffixes = ["", "-wal", "-shm"]

    /// A folder with a store `seed.sqlite` whose items are in its `-wal` file, as the files of a
    /// program that ended without closing it are.
    private func makeSeed(_ names: String...) throws -> (folder: ItemFolder, url: URL) {
        let folder = try ItemFolder()
        let url = folder.url.appendingPathComponent("prepared/seed.sqlite")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let stack = try SingleContextStack(
            model: ItemStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        try stack.performBackgroundAndWait { context in
            for name in names { ItemStack.insert(name, into: context) }
        }
        for suffix in Self.suffixes {
            try FileManager.default.copyItem(
                atPath: folder.storeURL.path + suffix,
                toPath: url.path + suffix
            )
        }
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        for suffix in Self.suffixes where exists(folder.storeURL.path + suffix) {
            try FileManager.default.removeItem(atPath: folder.storeURL.path + suffix)
        }
        return (folder, url)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func names(in folder: ItemFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    private func items(in folder: ItemFolder) throws -> [String] {
        let stack = try SingleContextStack(
            model: ItemStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        return try stack.coordinator.items()
    }

    @Test func theStoreIsCopiedWithItsLog() throws {
        let (folder, seed) = try makeSeed("a", "b")
        #expect(exists(seed.path + "-wal"))
        #expect(try StoreSeed(at: seed).install(at: folder.storeURL))
        #expect(
            try names(in: folder)
                == ["items.sqlite", "items.sqlite-shm", "items.sqlite-wal", "prepared"]
        )
        #expect(try folder.itemsOnDisk() == ["a|0", "b|0"])
        #expect(try items(in: folder) == ["a|0", "b|0"])
    }

    @Test func aStoreThatIsThereStays() throws {
        let (folder, seed) = try makeSeed("a")
        #expect(try StoreSeed(at: seed).install(at: folder.storeURL))
        let stack = try SingleContextStack(
            model: ItemStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        try stack.performBackgroundAndWait { _ = ItemStack.insert("mine", into: $0) }
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        #expect(try !StoreSeed(at: seed).install(at: folder.storeURL))
        #expect(try items(in: folder) == ["a|0", "mine|0"])
    }

    /// A log without its store may hold somebody's data, and would spoil the new store.
    @Test func remainsOfAnotherStoreAreLeftAlone() throws {
        let (folder, seed) = try makeSeed("a")
        let log = URL(fileURLWithPath: folder.storeURL.path + "-wal")
        try Data("somebody's".utf8).write(to: log)
        let error = #expect(throws: MergeStackError.self) {
            try StoreSeed(at: seed).install(at: folder.storeURL)
        }
        #expect(error?.code == .seedNotInstalled)
        #expect(try names(in: folder) == ["items.sqlite-wal", "prepared"])
        #expect(try Data(contentsOf: log) == Data("somebody's".utf8))
    }

    @Test func aMissingSeedIsTold() throws {
        let folder = try ItemFolder()
        let error = #expect(throws: MergeStackError.self) {
            try StoreSeed(at: folder.url.appendingPathComponent("no.sqlite"))
                .install(at: folder.storeURL)
        }
        #expect(error?.code == .seedNotInstalled)
        #expect(try names(in: folder) == [])
    }

    @Test func aWriteProtectedSeedBecomesAStoreToWriteTo() throws {
        let (folder, seed) = try makeSeed("a")
        for suffix in Self.suffixes {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o444],
                ofItemAtPath: seed.path + suffix
            )
        }
        try StoreSeed(at: seed).install(at: folder.storeURL)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.storeURL.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
        let stack = try SingleContextStack(
            model: ItemStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        try stack.performBackgroundAndWait { _ = ItemStack.insert("mine", into: $0) }
        #expect(try folder.itemsOnDisk() == ["a|0", "mine|0"])
    }

    @Test func theFolderOfLargeValuesComesAlong() throws {
        let (folder, seed) = try makeSeed("a")
        let values = seed.deletingLastPathComponent()
            .appendingPathComponent(".seed_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
        try Data("large".utf8).write(to: values.appendingPathComponent("1"))
        try StoreSeed(at: seed).install(at: folder.storeURL)
        let copy = folder.url.appendingPathComponent(".items_SUPPORT/_EXTERNAL_DATA/1")
        #expect(try Data(contentsOf: copy) == Data("large".utf8))
    }

    // MARK: Failures

    /// Each operation fails in turn, alone or with all that come after it, as in a program that is
    /// ended: there is the whole store or none, and the next start makes it whole.
    @Test(arguments: [false, true])
    func anInstallationIsWholeOrNothing(_ isEnded: Bool) throws {
        var failureCount = 0
        for failing in 1... {
            let (folder, seed) = try makeSeed("a")
            let count = Guarded(0)
            let operations = SeedFileOperations { _ in
                let number = count.withLock {
                    $0 += 1
                    return $0
                }
                if number == failing || isEnded && number > failing {
                    throw CocoaError(.fileWriteOutOfSpace)
                }
            }
            var isInstalled = false
            do {
                isInstalled = try StoreSeed(at: seed, fileOperations: operations)
                    .install(at: folder.storeURL)
            } catch let error as MergeStackError {
                #expect(error.code == .seedNotInstalled)
                failureCount += 1
            }
            #expect(exists(folder.storeURL.path) == isInstalled)
            if !isInstalled, !isEnded { #expect(try names(in: folder) == ["prepared"]) }
            #expect(try StoreSeed(at: seed).install(at: folder.storeURL) == !isInstalled)
            #expect(try items(in: folder) == ["a|0"])
            #expect(!exists(folder.url.appendingPathComponent(".items.sqlite.seeding").path))
            if isInstalled { break }
        }
        // The folder, three copies, two moves, the store's own name.
        #expect(failureCount == 7)
    }

    @Test func ofManyAtATimeOneInstalls() async throws {
        let (folder, seed) = try makeSeed("a")
        let target = folder.storeURL
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await onThread { try StoreSeed(at: seed).install(at: target) }.get()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 }.count == 1)
        #expect(try items(in: folder) == ["a|0"])
    }
}
