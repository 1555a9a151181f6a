import CoreData
import Foundation

extension Scenario {
    /// The second version of the model over a store of the first.
    static let migrations: [Scenario] = [
        Scenario(
            name: "migration-light",
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in
                let kept = Kept<Stack>()
                let options: [AnyHashable: Any] = [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ]
                return StepAttempt(
                    store(in: folder),
                    .beforeOrAfter,
                    finish: { try kept.value?.close() },
                    step: {
                        let stack = try Stack(
                            store(in: folder),
                            model: TortureModel.second,
                            options: options
                        )
                        kept.value = stack
                        let count = try seen(stack).count
                        return count == 33 ? [] : ["\(count) objects were read"]
                    }
                )
            }
        ),
        Scenario(
            name: "migration-mapped",
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in
                let target = folder.appendingPathComponent("Migrated.sqlite")
                let mapping = try NSMappingModel.inferredMappingModel(
                    forSourceModel: TortureModel.first,
                    destinationModel: TortureModel.second
                )
                let source = StoreDump(of: store(in: folder))
                let check = {
                    StoreDump(of: store(in: folder)) == source
                        ? [] : ["the migration has changed its source"]
                }
                return StepAttempt(target, .beforeOrAfter, check: check) {
                    let manager = NSMigrationManager(
                        sourceModel: TortureModel.first,
                        destinationModel: TortureModel.second
                    )
                    try manager.migrateStore(
                        from: store(in: folder),
                        sourceType: NSSQLiteStoreType,
                        options: nil,
                        with: mapping,
                        toDestinationURL: target,
                        destinationType: NSSQLiteStoreType,
                        destinationOptions: nil
                    )
                    return []
                }
            }
        ),
    ]
}
