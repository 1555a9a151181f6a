import Foundation

/// Finds the model that a store was made with.
enum SourceModels {
    /// The model of a store of an earlier version.
    ///
    /// Looks, in this order, among the versions beside the destination's file, among the resources
    /// of all bundles, and into the store itself.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: What stops the store, or a version, from being read now, so that it can't be told.
    static func model(
        forStoreMetadata metadata: [String: Any],
        at url: URL,
        destination: NSManagedObjectModel
    ) throws -> NSManagedObjectModel? {
        if let file = destination.fileURL {
            let versions = try ModelFile.siblingURLs(of: file).compactMap {
                try NSManagedObjectModel.candidate(at: $0)
            }
            if let model = NSManagedObjectModel(
                byMerging: versions,
                forStoreMetadata: metadata
            ) {
                return model
            }
        }
        return try NSManagedObjectModel.mergedModel(
            from: Bundle.allBundles + Bundle.allFrameworks,
            forStoreMetadata: metadata
        ) ?? cachedModel(forStoreMetadata: metadata, at: url)
    }

    /// The model that the store keeps of itself; nil for one that does not fit its metadata.
    private static func cachedModel(
        forStoreMetadata metadata: [String: Any],
        at url: URL
    ) throws -> NSManagedObjectModel? {
        let model: NSManagedObjectModel
        do {
            model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        } catch let error as CocoaError
            where [CocoaError.fileReadCorruptFile.rawValue, NSMigrationMissingSourceModelError]
            .contains(error.code.rawValue)
        {
            // Stores of before iOS 9 keep none, and a damaged one is as good as none.
            return nil
        }
        let known = model.entityVersionHashesByName
        let wanted = ModelVersion.hashes(inMetadata: metadata)
        return wanted?.allSatisfy { known[$0.key] == $0.value } == true ? model : nil
    }
}
