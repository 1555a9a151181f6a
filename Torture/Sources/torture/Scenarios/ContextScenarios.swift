import CoreData
import Foundation

extension Scenario {
    /// Saves by what contexts are, and large ones.
    static let contexts: [Scenario] = [
        // A child has saved into the context that is saved.
        save("nested") { context in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            try child.inQueue {
                let items = try child.all("Item")
                let new = child.make("Item", "from a child")
                new.setValue(items[0].value(forKey: "owner"), forKey: "owner")
                new.setValue(Set(try child.all("Tag").prefix(2)), forKey: "tags")
                items[1].setValue(Samples.large(13), forKey: "data")
                child.delete(items[2])
                try child.save()
            }
        },
        // The IDs are taken ahead; they must not be lost, nor taken twice.
        save("permanent-ids") { context in
            let items = (0..<5).map { context.make("Item", "new\($0)") }
            for item in items { item.setValue(try context.all("Owner").first, forKey: "owner") }
        },
        save("metadata") { context in
            guard let coordinator = context.persistentStoreCoordinator,
                let store = coordinator.persistentStores.first
            else { return }
            var metadata = coordinator.metadata(for: store)
            metadata["torture"] = String(repeating: "m", count: 5_000)
            coordinator.setMetadata(metadata, for: store)
            context.make("Owner", "with metadata")
        },
        // Rows of a size that fills the log with pages.
        save("many-rows") { context in
            let owner = try context.all("Owner").first
            for number in 0..<300 {
                let item = context.make("Item", "row\(number)")
                item.setValue(String(repeating: "n", count: 900), forKey: "note")
                item.setValue(owner, forKey: "owner")
            }
            for item in try context.all("Item").prefix(20) { context.delete(item) }
        },
        // More than SQLite keeps in its cache of 20 pages: some of them go to the log before the commit.
        save("spilling", options: [NSSQLitePragmasOption: ["cache_size": "20"]]) { context in
            for number in 0..<200 {
                context.make("Item", "row\(number)")
                    .setValue(String(repeating: "s", count: 1_800), forKey: "note")
            }
        },
        save("blobs-replaced") { context in
            let items = try context.all("Item")
            for (number, item) in items.prefix(8).enumerated() {
                item.setValue(
                    number % 2 == 0 ? Samples.large(UInt8(40 + number)) : nil,
                    forKey: "data"
                )
            }
            context.delete(items[1])
        },
        // A log that is as long as it may get: with each commit it is taken in.
        save("rollback-journal", options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]) {
            context in
            for item in try context.all("Item").prefix(10) {
                item.setValue(Int64(3), forKey: "value")
            }
            context.make("Item", "new").setValue(Samples.large(14), forKey: "data")
        },
        Scenario(
            name: "undone",
            template: { try Samples.filled(store(in: $0)) },
            begin: { UndoAttempt(try Stack(store(in: $0))) }
        ),
        Scenario(
            name: "two-stores",
            template: { folder in try TwoStores(in: folder).fillAndClose() },
            begin: { TwoStoresAttempt(try TwoStores(in: $0)) }
        ),
    ]
}

/// A save after undo and redo; where it fails, all of it can be undone and made again.
private final class UndoAttempt: Attempt {
    var url: URL { stack.url }
    private let stack: Stack
    private let context: NSManagedObjectContext

    init(_ stack: Stack) {
        self.stack = stack
        context = stack.makeContext()
        let context = context
        context.inQueue {
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
        }
    }

    /// The save is what may fail, with the changes before it, which read.
    func act() throws {
        try context.inQueue {
            try change()
            context.undo()
            context.redo()
            try context.save()
        }
    }

    private func change() throws {
        let items = try context.all("Item")
        let owner = try context.all("Owner").first
        context.undoManager?.beginUndoGrouping()
        defer { context.undoManager?.endUndoGrouping() }
        context.make("Item", "new").setValue(owner, forKey: "owner")
        for item in items.prefix(5) { item.setValue(Int64(90), forKey: "value") }
        context.delete(items[9])
        context.processPendingChanges()
    }

    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String] {
        var wrong: [String] = []
        if let failure {
            wrong += untyped(failure)
            if let clean { wrong += compare(url, with: [clean.before], "after a save that failed") }
            wrong += try context.inQueue {
                // It may have failed before there was anything to undo.
                if context.hasChanges { context.undo() }
                let count = context.insertedObjects.count + context.deletedObjects.count
                let names = try context.all("Item").map(\.label)
                return count == 0 && names.count == 24 && !names.contains("new")
                    ? [] : ["undone, \(count) changes and \(names.count) items are left"]
            }
            do { try act() } catch { wrong.append("a second try fails: \(Sentence.of(error))") }
        }
        if let clean { wrong += compare(url, with: [clean.after], "after the save") }
        let fresh = stack.makeContext()
        let read = try fresh.inQueue { try fresh.seen() }
        if try context.inQueue({ try context.seen() }) != read {
            wrong.append("the context shows other values than a new one")
        }
        return wrong
    }

    func end() throws { try stack.close() }
}

/// A coordinator with two stores, each for a configuration of the model.
final class TwoStores {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: TortureModel.first)
    let urls: [URL]

    init(in folder: URL) throws {
        urls = [Scenario.store(in: folder), folder.appendingPathComponent("Lists.sqlite")]
        for (url, configuration) in zip(urls, ["Things", "Lists"]) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: configuration,
                at: url,
                options: nil
            )
        }
    }

    func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    func fillAndClose() throws {
        let context = makeContext()
        try context.inQueue {
            Samples.fill(context)
            try context.save()
        }
        try close()
    }
}

/// A save of two stores at once. What can be known to fail is found out before either has it. The commit
/// itself may fail in the second one when the first one has it: SQLite commits no two files at once.
private final class TwoStoresAttempt: Attempt {
    var url: URL { stores.urls[0] }
    private let stores: TwoStores
    private let context: NSManagedObjectContext
    private let before: [StoreDump]

    init(_ stores: TwoStores) {
        self.stores = stores
        before = stores.urls.map { StoreDump(of: $0) }
        context = stores.makeContext()
        let context = context
        context.inQueue {
            context.make("Item", "new").setValue(Samples.large(15), forKey: "data")
            let list = context.make("List", "new list")
            list.setValue(
                NSOrderedSet(array: [context.make("Entry", "new entry")]),
                forKey: "entries"
            )
        }
    }

    func act() throws { try context.inQueue { try context.save() } }

    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String] {
        var wrong: [String] = []
        if let failure {
            wrong += untyped(failure)
            let counts = addedCounts()
            if counts == [0, 2] { return wrong }
            if counts != [0, 0] {
                wrong.append("after a save that failed, \(counts) lines are more")
            }
            do { try act() } catch { wrong.append("a second try fails: \(Sentence.of(error))") }
        }
        let counts = addedCounts()
        if counts != [1, 2] { wrong.append("after a save, \(counts) lines are more") }
        return wrong + stores.urls.flatMap { StoreDump(of: $0).problems }
    }

    /// How many lines each store has more than before.
    private func addedCounts() -> [Int] {
        zip(stores.urls, before).map { StoreDump(of: $0).lines.count - $1.lines.count }
    }

    func end() throws { try stores.close() }
}
