import Foundation

/// Option: an `NSStagedMigrationManager` that brings the store to the model's version.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
    "NSPersistentStoreStagedMigrationManagerOptionKey"

/// Migrates a store in stages, with code of the client's between them.
///
/// Give it as an option to the store that is added. Each step of a stage is a migration of its
/// own: what is interrupted goes on from there the next time.
///
/// > Threading: Used by the thread that adds the store.
open class NSStagedMigrationManager: NSObject {
    /// The stages, in order.
    open private(set) var stages: [NSMigrationStage]
    /// The store, open with a stage's model; nil outside of handlers.
    open internal(set) var container: NSPersistentContainer?

    /// Makes a manager of stages, the earliest first.
    public init(_ stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }
}
