import Foundation

/// A part of a staged migration; use one of its subclasses.
///
/// > Threading: Change it before it is used.
open class NSMigrationStage: NSObject {
    /// What the stage is called in logs.
    open var label: String!

    /// Makes a stage.
    public override init() { super.init() }
}

/// A stage through versions whose mappings can be inferred.
///
/// > Threading: Immutable but for its label.
open class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the versions, the earliest first.
    open private(set) var versionChecksums: [String]

    /// Makes a stage of versions, the earliest first.
    public init(_ checksums: [String]) {
        versionChecksums = checksums
        super.init()
    }
}

/// A stage from one version to the next, with code of the client's before and after.
///
/// > Threading: Change it before it is used.
open class NSCustomMigrationStage: NSMigrationStage {
    /// The version before.
    open private(set) var currentModel: NSManagedObjectModelReference
    /// The version after.
    open private(set) var nextModel: NSManagedObjectModelReference
    /// Called before the store is migrated; the manager's container has it open with
    /// `currentModel`.
    open var willMigrateHandler:
        (
            (
                _ migrationManager: NSStagedMigrationManager,
                _ migrationStage: NSCustomMigrationStage
            ) throws -> Void
        )?
    /// Called after the store is migrated; the manager's container has it open with `nextModel`.
    open var didMigrateHandler:
        (
            (
                _ migrationManager: NSStagedMigrationManager,
                _ migrationStage: NSCustomMigrationStage
            ) throws -> Void
        )?

    /// Makes a stage between two versions, whose mapping can be inferred.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference,
        to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
