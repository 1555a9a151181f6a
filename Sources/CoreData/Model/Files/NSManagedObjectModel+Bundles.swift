import Foundation

extension NSManagedObjectModel {
    /// `mergedModel(from:)`.
    class func merged(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        let models = models(in: bundles)
        return models.isEmpty ? nil : NSManagedObjectModel(byMerging: models)
    }

    /// `mergedModel(from:forStoreMetadata:)`.
    class func merged(
        from bundles: [Bundle]?,
        forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        NSManagedObjectModel(
            byMerging: models(in: bundles, includingEarlierVersions: true),
            forStoreMetadata: metadata
        )
    }

    /// All versions of all models among the resources of some bundles; those that can't be read
    /// are left out.
    class func versions(in bundles: [Bundle]) -> [NSManagedObjectModel] {
        models(in: bundles, includingEarlierVersions: true)
    }

    private class func models(
        in bundles: [Bundle]?,
        includingEarlierVersions: Bool = false
    ) -> [NSManagedObjectModel] {
        ModelLookup.modelURLs(in: bundles).flatMap { url in
            includingEarlierVersions ? ModelFile.versionURLs(of: url) : [url]
        }.compactMap { NSManagedObjectModel(contentsOf: $0) }
    }
}
