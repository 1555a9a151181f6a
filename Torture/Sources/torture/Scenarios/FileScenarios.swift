import CoreData
import Foundation

extension Scenario {
    /// Stores as a whole.
    static let files: [Scenario] = [
        Scenario(
            name: "replace",
            template: { folder in
                try Samples.filled(store(in: folder))
                let stack = try Stack(other(in: folder))
                try stack.save { context in
                    context.make("Item", "replaced").setValue(Samples.large(5), forKey: "data")
                }
                try stack.close()
            },
            isRepeatable: true,
            begin: { folder in
                let check = {
                    StoreDump(of: other(in: folder)).lines.count == 1
                        ? [] : ["the source has lost its row"]
                }
                return StepAttempt(store(in: folder), .beforeOrAfter, check: check) {
                    let coordinator = NSPersistentStoreCoordinator(
                        managedObjectModel: TortureModel.first
                    )
                    try coordinator.replacePersistentStore(
                        at: store(in: folder),
                        destinationOptions: nil,
                        withPersistentStoreFrom: other(in: folder),
                        sourceOptions: nil,
                        ofType: NSSQLiteStoreType
                    )
                    return []
                }
            }
        ),
        Scenario(
            name: "destroy",
            template: { try Samples.filled(store(in: $0)) },
            isRepeatable: true,
            begin: { folder in
                StepAttempt(store(in: folder), .beforeOrAfter) {
                    let coordinator = NSPersistentStoreCoordinator(
                        managedObjectModel: TortureModel.first
                    )
                    try coordinator.destroyPersistentStore(
                        at: store(in: folder),
                        ofType: NSSQLiteStoreType,
                        options: nil
                    )
                    return []
                }
            }
        ),
        Scenario(
            name: "move",
            template: { try Samples.filled(store(in: $0)) },
            // What can't be removed is in the way of a second try.
            leftOut: ["name/lasting"],
            begin: { folder in
                let kept = Kept<Stack>()
                return StepAttempt(
                    other(in: folder),
                    .beforeOrAfter,
                    finish: { try kept.value?.close() },
                    step: {
                        try kept.value?.close()
                        let stack = try Stack(store(in: folder))
                        kept.value = stack
                        guard let first = stack.coordinator.persistentStores.first else {
                            return []
                        }
                        try stack.coordinator.migratePersistentStore(
                            first,
                            to: other(in: folder),
                            options: nil,
                            withType: NSSQLiteStoreType
                        )
                        return []
                    }
                )
            }
        ),
    ]

    private static func other(in folder: URL) -> URL {
        folder.appendingPathComponent("Other.sqlite")
    }
}
