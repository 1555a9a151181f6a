import Foundation

extension NSManagedObjectModel {
    /// Makes one model of all models among the resources of some bundles.
    ///
    /// - Parameter bundles: Where to look; nil for the main bundle. If the program's own has none,
    ///   the resource bundles of Swift packages beside the program count.
    /// - Returns: nil if there are none that can be read; those that can't are left out.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        let models = models(in: bundles)
        return models.isEmpty ? nil : NSManagedObjectModel(byMerging: models)
    }

    /// Makes the model that a store was made with of the models among the resources of some
    /// bundles, earlier versions included.
    ///
    /// - Parameters:
    ///   - bundles: Where to look; nil for the main bundle.
    ///   - metadata: The store's metadata.
    /// - Returns: nil if the bundles don't have all entities of the store in its versions.
    public class func mergedModel(
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
