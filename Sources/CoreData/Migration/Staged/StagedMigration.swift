import Foundation

/// Carries out the stages of a staged migration on one store's file.
struct StagedMigration {
    let storeClass: any MigratingStore.Type
    let manager: NSStagedMigrationManager
    let url: URL
    let options: [AnyHashable: Any]?
    let destination: NSManagedObjectModel

    /// Migrates the file from its version to the destination's.
    ///
    /// - Throws: 134504 for a version whose model is not found, 134506 if the destination is of an
    ///   earlier stage than the store; what handlers and migrations throw. The store is whole, at
    ///   the version where it stood then.
    func run() throws {
        var current = try ownModel()
        let end = destination.versionChecksum
        let line = manager.stages.flatMap(\.checksums)
        // A version that ends one stage begins the next, and so stands here twice: what counts is
        // the way from the first place to the last.
        let start = line.firstIndex(of: current.versionChecksum)
        if let goal = line.lastIndex(of: end) {
            guard let start else {
                throw CocoaError.modelReferenceNotFound(current.versionChecksum)
            }
            if goal < start { throw CocoaError.backwardMigration(url) }
        }
        // Stages that the store is past are left out, with their handlers.
        let place = manager.stages.firstIndex { $0.begins(at: current.versionChecksum) }
        for stage in manager.stages[(place ?? manager.stages.endIndex)...]
        where current.versionChecksum != end {
            try run(stage, &current, end: end)
        }
        // From the last stage on, or without any that fits, the rest is inferred.
        try migrate(&current, to: destination)
    }

    private func run(
        _ stage: NSMigrationStage,
        _ current: inout NSManagedObjectModel,
        end: String
    ) throws {
        switch stage {
        case let stage as NSLightweightMigrationStage:
            let place = stage.versionChecksums.firstIndex(of: current.versionChecksum)
            let rest = stage.versionChecksums[(place.map { $0 + 1 } ?? 0)...]
            // The destination may stand within a stage: what comes after it is for later versions.
            for checksum in rest where current.versionChecksum != end {
                try migrate(&current, to: try model(checksum))
            }
        case let stage as NSCustomMigrationStage:
            // The stage before may have ended at another version, whose handlers these are not.
            guard stage.currentModel.versionChecksum == current.versionChecksum else { return }
            try call(stage.willMigrateHandler, stage, try stage.currentModel.model())
            try migrate(&current, to: try stage.nextModel.model())
            try call(stage.didMigrateHandler, stage, current)
        default: return
        }
    }

    private func migrate(
        _ current: inout NSManagedObjectModel,
        to next: NSManagedObjectModel
    ) throws {
        guard current.versionChecksum != next.versionChecksum else { return }
        try StoreMigrator(storeClass, url, options, from: current, to: next).run(infers: true)
        current = next
    }

    /// Calls a handler while the manager's container has the store.
    private func call(
        _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
        _ stage: NSCustomMigrationStage,
        _ model: NSManagedObjectModel
    ) throws {
        guard let handler else { return }
        let container = NSPersistentContainer(
            name: url.deletingPathExtension().lastPathComponent,
            managedObjectModel: model
        )
        let store = try container.persistentStoreCoordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: optionsOfHandlers
        )
        manager.container = container
        defer { manager.container = nil }
        do {
            try handler(manager, stage)
        } catch {
            // Before the error goes on: the file must be closed for whoever handles it.
            try container.persistentStoreCoordinator.remove(store)
            throw error
        }
        try container.persistentStoreCoordinator.remove(store)
    }

    /// What the client says of the store's file, without what is to be done when its store is added:
    /// that has the very migration that is under way, and what comes after it.
    private var optionsOfHandlers: [AnyHashable: Any]? {
        options?.filter { key, _ in
            ![
                NSPersistentStoreStagedMigrationManagerOptionKey,
                NSMigratePersistentStoresAutomaticallyOption,
                NSInferMappingModelAutomaticallyOption, NSSQLiteAnalyzeOption,
                NSSQLiteManualVacuumOption,
            ].contains(key)
        }
    }

    // MARK: Models

    /// The model of the store as it is.
    private func ownModel() throws -> NSManagedObjectModel {
        let metadata = try storeClass.metadataForPersistentStore(with: url)
        let hashes = ModelVersion.hashes(inMetadata: metadata) ?? [:]
        if let known = try known(ModelVersion.checksum(hashes)) { return known }
        guard
            let model = try SourceModels.model(
                forStoreMetadata: metadata,
                at: url,
                destination: destination
            )
        else { throw CocoaError.missingSourceModel(url, metadata: metadata) }
        return model
    }

    private func model(_ checksum: String) throws -> NSManagedObjectModel {
        guard let model = try known(checksum) else {
            throw CocoaError.modelReferenceNotFound(checksum)
        }
        return model
    }

    /// A version that the stages refer to, that stands beside the destination or in bundles.
    ///
    /// - Throws: What keeps a version from being read now.
    private func known(_ checksum: String) throws -> NSManagedObjectModel? {
        // The destination first: it is the client's own instance, and needs no file to be read.
        if destination.versionChecksum == checksum { return destination }
        let references = manager.stages.compactMap { $0 as? NSCustomMigrationStage }
            .flatMap { [$0.currentModel, $0.nextModel] }
        for reference in references where reference.versionChecksum == checksum {
            do {
                return try reference.model()
            } catch {
                continue  // Another one may have it.
            }
        }
        let beside = destination.fileURL.map { ModelFile.siblingURLs(of: $0) } ?? []
        let versions =
            try beside.compactMap { try NSManagedObjectModel.candidate(at: $0) }
            + NSManagedObjectModel.versions(in: Bundle.allBundles + Bundle.allFrameworks)
        return versions.first { $0.versionChecksum == checksum }
    }
}

extension NSMigrationStage {
    /// The versions that the stage knows.
    fileprivate var checksums: [String] {
        switch self {
        case let stage as NSLightweightMigrationStage: stage.versionChecksums
        case let stage as NSCustomMigrationStage:
            [stage.currentModel.versionChecksum, stage.nextModel.versionChecksum]
        default: []
        }
    }

    /// Whether a store of a version goes on with this stage.
    fileprivate func begins(at checksum: String) -> Bool {
        switch self {
        case let stage as NSCustomMigrationStage:
            stage.currentModel.versionChecksum == checksum
        default: checksums.contains(checksum)
        }
    }
}
