import CoreData
import Foundation
import MergeExchange
import MergeStack

/// Steps that only conditions try.
extension Scenario {
    static let environment: [Scenario] =
        openings + atomicStores + layerSteps + [throwaway, textSearch, watching, historyInOrder]

    private static var impatience: [AnyHashable: Any] { [NSPersistentStoreTimeoutOption: 0.2] }

    // MARK: SQLite stores

    private static let openings: [Scenario] = [
        opened("read-only-opening") { folder in
            let options: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: true]
            return try Stack(store(in: folder), options: options)
        },
        opened("impatient-opening") { try Stack(store(in: $0), options: impatience) },
        opened("second-name") { folder in
            try Stack(folder.appendingPathComponent("Second.sqlite"))
        },
        opened("relative-path") { folder in
            let path = FileManager.default.currentDirectoryPath
            defer { _ = FileManager.default.changeCurrentDirectoryPath(path) }
            guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
                throw NotPossibleHere(reason: "the folder can't be entered")
            }
            return try Stack(URL(fileURLWithPath: "Store.sqlite"))
        },
        opened("long-name", isFilled: false) { folder in
            let name = String(repeating: "n", count: 300) + ".sqlite"
            return try Stack(folder.appendingPathComponent(name))
        },
        opened("no-file-url", isFilled: false) { _ in
            guard let url = URL(string: "https://example.org/Store.sqlite") else {
                throw CancellationError()
            }
            return try Stack(url)
        },
        Scenario(
            name: "impatient-insert",
            template: { try Samples.filled(store(in: $0)) },
            begin: {
                try SaveAttempt(Stack(store(in: $0), options: impatience)) {
                    $0.make("Item", "new")
                }
            }
        ),
        Scenario(
            name: "few-pages",
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in
                // As large as it is, and two pages more.
                let database = try Database(store(in: folder).path)
                let pages = try database.strings("PRAGMA page_count")
                database.close()
                let most = (Int(pages.first ?? "") ?? 0) + 2
                let options: [AnyHashable: Any] = [
                    NSSQLitePragmasOption: ["max_page_count": "\(most)"]
                ]
                let stack = try Stack(store(in: folder), options: options)
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    do {
                        try stack.save { context in
                            for index in 0..<2_000 { context.make("Item", "new\(index)") }
                        }
                    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
                        return []
                    }
                    return ["a save has gone beyond the most pages"]
                }
            }
        ),
        metadata("metadata-reading") { url in
            let found = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType,
                at: url,
                options: nil
            )
            return found[NSStoreUUIDKey] is String ? [] : ["the metadata have no UUID"]
        },
        metadata("metadata-writing") { url in
            try NSPersistentStoreCoordinator.setMetadata(
                ["mine": "yes"],
                forPersistentStoreOfType: NSSQLiteStoreType,
                at: url,
                options: nil
            )
            return []
        },
    ]

    /// Opens a store and reads it.
    private static func opened(
        _ name: String,
        isFilled: Bool = true,
        _ open: @escaping (URL) throws -> Stack
    ) -> Scenario {
        Scenario(
            name: name,
            template: {
                if isFilled {
                    try Samples.filled(store(in: $0))
                    try Samples.filled($0.appendingPathComponent("Second.sqlite"))
                }
            },
            begin: { folder in
                let kept = Kept<Stack>()
                return StepAttempt(store(in: folder), finish: { try kept.value?.close() }) {
                    try kept.value?.close()
                    kept.value = nil
                    let stack = try open(folder)
                    kept.value = stack
                    let count = try seen(stack).count
                    return count == (isFilled ? 33 : 0) ? [] : ["\(count) objects were read"]
                }
            }
        )
    }

    private static func metadata(
        _ name: String,
        _ step: @escaping (URL) throws -> [String]
    ) -> Scenario {
        Scenario(
            name: name,
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in StepAttempt(store(in: folder)) { try step(store(in: folder)) } }
        )
    }

    // MARK: Stores that are read and written as a whole

    private static let atomicStores: [Scenario] = ["binary", "xml"].flatMap { kind in
        let type = kind == "xml" ? NSXMLStoreType : NSBinaryStoreType
        let place = { (folder: URL) in folder.appendingPathComponent("Store.\(kind)") }
        let fill = { (folder: URL) in
            let stack = try Stack(place(folder), type: type)
            try stack.save(Samples.fill)
            try stack.close()
        }
        return [
            Scenario(
                name: "\(kind)-opening",
                template: fill,
                begin: { folder in
                    StepAttempt(store(in: folder)) {
                        let stack = try Stack(place(folder), type: type)
                        let count = try seen(stack).count
                        try stack.close()
                        return count == 33 ? [] : ["\(count) objects were read"]
                    }
                }
            ),
            Scenario(
                name: "\(kind)-save",
                template: fill,
                begin: { folder in
                    let stack = try Stack(place(folder), type: type)
                    let context = stack.makeContext()
                    context.inQueue { _ = context.make("Owner", "new") }
                    // The file is read again by another coordinator, whose word it is.
                    let check = {
                        let other = try Stack(place(folder), type: type)
                        let count = try seen(other).count
                        try other.close()
                        let isDirty = context.inQueue { context.hasChanges }
                        return count == (isDirty ? 33 : 34) ? [] : ["\(count) objects are there"]
                    }
                    return StepAttempt(
                        store(in: folder),
                        check: check,
                        finish: { try stack.close() }
                    ) {
                        try context.inQueue { try context.save() }
                        return []
                    }
                }
            ),
        ]
    }

    // MARK: The layer

    private static let layerSteps: [Scenario] = [
        Scenario(
            name: "container",
            template: { _ in },
            begin: { folder in
                StepAttempt(store(in: folder)) {
                    let container = NSPersistentContainer(
                        name: "Torture\(getpid())",
                        managedObjectModel: TortureModel.first
                    )
                    var failure: (any Error)?
                    container.loadPersistentStores { _, error in failure = error }
                    if let failure { throw failure }
                    let coordinator = container.persistentStoreCoordinator
                    for store in coordinator.persistentStores {
                        try coordinator.remove(store)
                        if let url = store.url {
                            for suffix in ["", "-wal", "-shm"] { unlink(url.path + suffix) }
                        }
                    }
                    return []
                }
            }
        ),
        Scenario(
            name: "export",
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in
                let stack = try SingleContextStack(
                    model: TortureModel.first,
                    stores: [NSPersistentStoreDescription(url: store(in: folder))]
                )
                let target = folder.appendingPathComponent("exports/Items.csv")
                try FileManager.default.createDirectory(
                    at: target.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    let result = try Exporter(stack: stack).exportFileAndWait(
                        to: target,
                        entityName: "Item"
                    )
                    return result.rowCount == 24 ? [] : ["\(result.rowCount) rows were exported"]
                }
            }
        ),
        Scenario(
            name: "import",
            template: { folder in
                try Samples.filled(store(in: folder))
                let source = folder.appendingPathComponent("Owners.csv")
                try Data("name\nfirst\nsecond\n".utf8).write(to: source)
            },
            begin: { folder in
                let stack = try SingleContextStack(
                    model: TortureModel.first,
                    stores: [NSPersistentStoreDescription(url: store(in: folder))]
                )
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    var options = ImportOptions()
                    options.isStrict = true
                    let result = try Importer(stack: stack, options: options).importFileAndWait(
                        at: folder.appendingPathComponent("Owners.csv"),
                        entityName: "Owner"
                    )
                    return result.createdCount == 2 ? [] : ["\(result.createdCount) were created"]
                }
            }
        ),
        Scenario(
            name: "model-reading",
            template: { folder in
                let source = folder.appendingPathComponent("Model.xcdatamodel")
                try FileManager.default.createDirectory(
                    at: source,
                    withIntermediateDirectories: true
                )
                let contents = """
                    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="Item"><attribute name="name" attributeType="String"/></entity>
                    </model>
                    """
                try Data(contents.utf8).write(to: source.appendingPathComponent("contents"))
            },
            begin: { folder in
                StepAttempt(store(in: folder)) {
                    let model = try NSManagedObjectModel(
                        readingFrom: folder.appendingPathComponent("Model.xcdatamodel")
                    )
                    return model.entities.count == 1 ? [] : ["the model lacks its entity"]
                }
            }
        ),
    ]

    // MARK: What depends on the process

    /// A store at `/dev/null`, whose file is in the folder for temporary files.
    private static let throwaway = Scenario(
        name: "throwaway",
        template: { _ in },
        begin: { folder in
            StepAttempt(store(in: folder)) {
                let stack = try Stack(URL(fileURLWithPath: "/dev/null"))
                try stack.save(Samples.fill)
                let count = try seen(stack).count
                try stack.close()
                return count == 33 ? [] : ["\(count) objects were read"]
            }
        }
    )

    /// Letters compare alike wherever the program runs.
    private static let textSearch = Scenario(
        name: "text-search",
        template: { folder in
            let stack = try Stack(store(in: folder))
            try stack.save { context in
                for name in ["İstanbul", "ISLAND", "ıslak", "item", "Straße", "ÉLAN"] {
                    context.make("Owner", name)
                }
            }
            try stack.close()
        },
        begin: { folder in
            let stack = try Stack(store(in: folder))
            return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                let context = stack.makeContext()
                return try context.inQueue {
                    let all = try context.all("Owner")
                    return try [
                        "name CONTAINS[c] 'i'", "name BEGINSWITH[cd] 'is'", "name ==[c] 'island'",
                        "name LIKE[cd] 'e*'", "name > 'a'",
                    ].compactMap { format in
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
                        request.predicate = NSPredicate(format: format)
                        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                        let found = try context.fetch(request).map(\.label)
                        let expected = all.filter { request.predicate?.evaluate(with: $0) == true }
                            .map(\.label)
                        return found == expected ? nil : "\(format) finds \(found)"
                    }
                }
            }
        }
    )

    /// Commits of another coordinator are noticed.
    private static let watching = Scenario(
        name: "watching",
        template: { try Samples.filled(store(in: $0), Stack.history) },
        begin: { folder in
            StepAttempt(store(in: folder), .beforeOrAfter) {
                var options = Stack.history
                options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true
                let stack = try Stack(store(in: folder), options: options)
                let told = DispatchSemaphore(value: 0)
                let token = NotificationCenter.default.addObserver(
                    forName: .NSPersistentStoreRemoteChange,
                    object: stack.coordinator,
                    queue: nil
                ) { _ in told.signal() }
                defer { NotificationCenter.default.removeObserver(token) }
                let other = try Stack(store(in: folder), options: Stack.history)
                try other.save { $0.make("Owner", "remote") }
                try other.close()
                // Not with a time limit of the clock's, which a condition may have set back.
                var isTold = false
                for _ in 0..<2_000 where !isTold {
                    usleep(10_000)
                    isTold = told.wait(timeout: .now()) == .success
                }
                try stack.close()
                return isTold ? [] : ["nobody was told of another coordinator's save"]
            }
        }
    )

    /// Transactions come in the order of their commits, whatever the clock says.
    private static let historyInOrder = Scenario(
        name: "history-in-order",
        template: { try Samples.filled(store(in: $0), Stack.history) },
        begin: { folder in
            let stack = try Stack(store(in: folder), options: Stack.history)
            return StepAttempt(store(in: folder), .beforeOrAfter, finish: { try stack.close() }) {
                let token = stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
                for index in 0..<3 { try stack.save { $0.make("Owner", "later\(index)") } }
                let context = stack.makeContext()
                return try context.inQueue {
                    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                    let result = try context.execute(request) as? NSPersistentHistoryResult
                    let found = result?.result as? [NSPersistentHistoryTransaction] ?? []
                    let numbers = found.map(\.transactionNumber)
                    return numbers.count == 3 && numbers == numbers.sorted()
                        ? [] : ["the history after a token has the transactions \(numbers)"]
                }
            }
        }
    )
}

extension SingleContextStack {
    /// Ends the layer's work, and takes the stores off.
    fileprivate func close() throws {
        invalidate()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
