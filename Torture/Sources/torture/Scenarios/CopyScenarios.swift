import CoreData
import Foundation

extension Scenario {
    /// Stores that are copied to another place or type, and what is written beside rows.
    static let copies: [Scenario] = [
        Scenario(
            name: "replace-nothing",
            target: copied(in:),
            template: { try Samples.filled(store(in: $0)) },
            isRepeatable: true,
            begin: { folder in
                StepAttempt(copied(in: folder), .beforeOrAfter) {
                    let coordinator = NSPersistentStoreCoordinator(
                        managedObjectModel: TortureModel.first
                    )
                    try coordinator.replacePersistentStore(
                        at: copied(in: folder),
                        withPersistentStoreFrom: store(in: folder),
                        ofType: NSSQLiteStoreType
                    )
                    return []
                }
            }
        ),
        // Somebody has the store open, and goes on with the new rows.
        Scenario(
            name: "replace-open",
            template: { folder in
                try Samples.filled(store(in: folder))
                let stack = try Stack(copied(in: folder))
                try stack.save {
                    $0.make("Item", "replaced").setValue(Samples.large(5), forKey: "data")
                }
                try stack.close()
            },
            begin: { folder in
                let stack = try Stack(store(in: folder))
                let seen = try seen(stack)
                return StepAttempt(
                    store(in: folder),
                    .beforeOrAfter,
                    check: {
                        let now = try Self.seen(stack)
                        return now == seen || now.count == 1
                            ? [] : ["\(now.count) objects are seen"]
                    },
                    finish: { try stack.close() },
                    step: {
                        let other = NSPersistentStoreCoordinator(
                            managedObjectModel: TortureModel.first
                        )
                        try other.replacePersistentStore(
                            at: store(in: folder),
                            withPersistentStoreFrom: copied(in: folder),
                            ofType: NSSQLiteStoreType
                        )
                        return []
                    }
                )
            }
        ),
        moved("move-to-xml", from: NSSQLiteStoreType, to: NSXMLStoreType),
        moved("move-from-binary", from: NSBinaryStoreType, to: NSSQLiteStoreType),
        Scenario(
            name: "metadata-setting",
            template: { try Samples.filled(store(in: $0)) },
            isRepeatable: true,
            begin: { folder in
                StepAttempt(store(in: folder), .beforeOrAfter) {
                    var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                        ofType: NSSQLiteStoreType,
                        at: store(in: folder)
                    )
                    metadata["torture"] = "set"
                    try NSPersistentStoreCoordinator.setMetadata(
                        metadata,
                        forPersistentStoreOfType: NSSQLiteStoreType,
                        at: store(in: folder)
                    )
                    let now = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                        ofType: NSSQLiteStoreType,
                        at: store(in: folder)
                    )
                    return now["torture"] as? String == "set" ? [] : ["the metadata is not there"]
                }
            }
        ),
        Scenario(
            name: "inspecting",
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in
                StepAttempt(store(in: folder)) {
                    let found = try NSPersistentStoreCoordinator.inspection(
                        ofSQLiteStoreAt: store(in: folder)
                    )
                    // What can't be read is named.
                    let count = found.entities.reduce(0) { $0 + $1.rowCount }
                    return count == Samples.lineCount || !found.problems.isEmpty
                        ? [] : ["\(count) rows are counted"]
                }
            }
        ),
    ]

    private static func copied(in folder: URL) -> URL {
        folder.appendingPathComponent("Copied.sqlite")
    }

    /// Moves an open store; where that fails, the old one stays open, and nothing is at the new place.
    private static func moved(_ name: String, from type: String, to other: String) -> Scenario {
        Scenario(
            name: name,
            target: copied(in:),
            template: { try Samples.filled(store(in: $0), type: type) },
            // What can't be removed is in the way of a second try.
            leftOut: ["name/lasting"],
            begin: { folder in
                let kept = Kept<Stack>(), isMoved = Kept<Bool>()
                func count(_ stack: Stack) throws -> [String] {
                    let count = try seen(stack).count
                    return count == 33 ? [] : ["\(count) objects are in the new store"]
                }
                return StepAttempt(
                    copied(in: folder),
                    .beforeOrAfter,
                    finish: { try kept.value?.close() },
                    step: {
                        // Where reading has failed after the move, only that is tried again.
                        if isMoved.value == true, let stack = kept.value { return try count(stack) }
                        try kept.value?.close()
                        let stack = try Stack(store(in: folder), type: type)
                        kept.value = stack
                        guard let first = stack.coordinator.persistentStores.first else {
                            return []
                        }
                        try stack.coordinator.migratePersistentStore(
                            first,
                            to: copied(in: folder),
                            options: nil,
                            withType: other
                        )
                        isMoved.value = true
                        return try count(stack)
                    }
                )
            }
        )
    }
}
