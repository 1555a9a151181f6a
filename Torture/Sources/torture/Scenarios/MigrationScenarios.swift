import CoreData
import Foundation
import MergeStack

extension Scenario {
    /// Later versions of the model over a store of the first.
    static let migrations: [Scenario] = [
        opened("migration-light") { _ in (TortureModel.second, automatic) },
        opened("migration-light-history", Stack.history) { _ in
            (TortureModel.second, automatic.merging(Stack.history) { $1 })
        },
        opened("migration-in-place", isMapped: true) { folder in
            (try ModelFiles.second(in: folder), automatic)
        },
        staged,
        toAnotherFile,
        replaced,
        byAStack,
        planned,
    ]

    private static var automatic: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
    }

    /// A migration that comes with opening.
    ///
    /// - Parameters:
    ///   - isMapped: Whether a mapping model lies beside the store, with the models.
    ///   - request: The model and the options that the store is opened with.
    private static func opened(
        _ name: String,
        _ options: [AnyHashable: Any]? = nil,
        isMapped: Bool = false,
        between: [(URL) throws -> Void] = [],
        _ request: @escaping (URL) throws -> (NSManagedObjectModel, [AnyHashable: Any])
    ) -> Scenario {
        Scenario(
            name: name,
            template: { folder in
                if isMapped { try ModelFiles.write(to: folder) }
                try Samples.filled(store(in: folder), options)
            },
            isRepeatable: true,
            between: between,
            begin: { folder in
                let kept = Kept<Stack>()
                let (model, options) = try request(folder)
                return StepAttempt(
                    store(in: folder),
                    .beforeOrAfter,
                    finish: { try kept.value?.close() },
                    step: {
                        let stack = try Stack(store(in: folder), model: model, options: options)
                        kept.value = stack
                        return try loss(stack)
                    }
                )
            }
        )
    }

    /// What is missing after a migration, as its objects show it.
    private static func loss(_ stack: Stack) throws -> [String] {
        let context = stack.makeContext()
        return try context.inQueue {
            var wrong: [String] = []
            for item in try context.all("Item") {
                let remark = item.value(forKey: "remark") as? String ?? ""
                if !remark.hasSuffix("note \(item.value(forKey: "value") as? Int64 ?? -1)") {
                    wrong.append("an item has the remark \(remark)")
                }
            }
            let count = try ["Item", "Owner", "Tag", "List", "Entry"].reduce(0) {
                try $0 + context.all($1).count
            }
            if count != Samples.lineCount { wrong.append("\(count) objects are there") }
            return wrong
        }
    }

    // MARK: In stages

    /// To the third version: a handler changes rows before the first stage, which may be made again
    /// and again until the stage is done.
    private static let staged = opened(
        "migration-staged",
        between: [
            { folder in
                let stack = try Stack(store(in: folder))
                try stack.save(markNotes)
                try stack.close()
            },
            { folder in
                try Stack(store(in: folder), model: TortureModel.second, options: automatic).close()
            },
        ],
        { _ in
            let (first, second) = (reference(TortureModel.first), reference(TortureModel.second))
            let custom = NSCustomMigrationStage(migratingFrom: first, to: second)
            custom.willMigrateHandler = { manager, _ in
                let context = manager.container?.newBackgroundContext()
                try context?.inQueue {
                    guard let context else { return }
                    try markNotes(context)
                    if context.hasChanges { try context.save() }
                }
            }
            let light = NSLightweightMigrationStage([
                TortureModel.second.versionChecksum, TortureModel.third.versionChecksum,
            ])
            let manager = NSStagedMigrationManager([custom, light])
            let options: [AnyHashable: Any] = [
                NSPersistentStoreStagedMigrationManagerOptionKey: manager
            ]
            return (TortureModel.third, automatic.merging(options) { $1 })
        }
    )

    private static func markNotes(_ context: NSManagedObjectContext) throws {
        for item in try context.all("Item") {
            let note = item.value(forKey: "note") as? String ?? ""
            if !note.hasPrefix("marked ") { item.setValue("marked \(note)", forKey: "note") }
        }
    }

    private static func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    // MARK: By a manager, a stack and a plan

    private static func migrated(in folder: URL) -> URL {
        folder.appendingPathComponent("Migrated.sqlite")
    }

    private static func migrate(in folder: URL) throws {
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: TortureModel.first,
            destinationModel: TortureModel.second
        )
        let manager = NSMigrationManager(
            sourceModel: TortureModel.first,
            destinationModel: TortureModel.second
        )
        try manager.migrateStore(
            from: store(in: folder),
            sourceType: NSSQLiteStoreType,
            options: nil,
            with: mapping,
            toDestinationURL: migrated(in: folder),
            destinationType: NSSQLiteStoreType,
            destinationOptions: nil
        )
    }

    /// The old store stays as it is.
    private static let toAnotherFile = Scenario(
        name: "migration-mapped",
        target: migrated(in:),
        template: { try Samples.filled(store(in: $0)) },
        begin: { folder in
            let source = StoreDump(of: store(in: folder))
            let check = {
                StoreDump(of: store(in: folder)) == source
                    ? [] : ["the migration has changed its source"]
            }
            return StepAttempt(migrated(in: folder), .beforeOrAfter, check: check) {
                try migrate(in: folder)
                return []
            }
        }
    )

    /// As programs do it that migrate by themselves: to another file, which then takes the old one's
    /// place.
    private static let replaced = Scenario(
        name: "migration-replaced",
        template: { try Samples.filled(store(in: $0)) },
        isRepeatable: true,
        begin: { folder in
            StepAttempt(store(in: folder), .beforeOrAfter) {
                let coordinator = NSPersistentStoreCoordinator(
                    managedObjectModel: TortureModel.second
                )
                let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType,
                    at: store(in: folder)
                )
                if TortureModel.second.isConfiguration(
                    withName: nil,
                    compatibleWithStoreMetadata: metadata
                ) {
                    return try open(TortureModel.second, in: folder)
                }
                // What an earlier try has left, in whatever state.
                try coordinator.destroyPersistentStore(
                    at: migrated(in: folder),
                    ofType: NSSQLiteStoreType
                )
                try migrate(in: folder)
                try coordinator.replacePersistentStore(
                    at: store(in: folder),
                    withPersistentStoreFrom: migrated(in: folder),
                    ofType: NSSQLiteStoreType
                )
                return try open(TortureModel.second, in: folder)
            }
        }
    )

    /// Opens the store as programs do that go on with it.
    private static func open(_ model: NSManagedObjectModel, in folder: URL) throws -> [String] {
        let stack = try Stack(store(in: folder), model: model, options: automatic)
        let wrong = Result { try loss(stack) }
        try stack.close()
        return try wrong.get()
    }

    private static let byAStack = Scenario(
        name: "migration-by-a-stack",
        template: { try Samples.filled(store(in: $0)) },
        isRepeatable: true,
        begin: { folder in
            StepAttempt(store(in: folder), .beforeOrAfter) {
                let stack = try NotificationMergeStack(
                    model: TortureModel.second,
                    stores: [NSPersistentStoreDescription(url: store(in: folder))]
                )
                try stack.tearDown()
                return []
            }
        }
    )

    private static let planned = Scenario(
        name: "migration-planned",
        template: { try Samples.filled(store(in: $0)) },
        isRepeatable: true,
        between: [
            { folder in
                try Stack(store(in: folder), model: TortureModel.second, options: automatic).close()
            }
        ],
        begin: { folder in
            StepAttempt(store(in: folder), .beforeOrAfter) {
                let plan = try StoreMigrationPlan(
                    forStoreAt: store(in: folder),
                    to: TortureModel.third,
                    through: [TortureModel.first, TortureModel.second]
                )
                try plan.run()
                return try open(TortureModel.third, in: folder)
            }
        }
    )
}
