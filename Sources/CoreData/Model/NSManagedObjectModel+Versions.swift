import Foundation

extension NSManagedObjectModel {
    /// The version hash of each entity: what makes a store compatible.
    public var entityVersionHashesByName: [String: Data] { ModelVersion.hashes(of: entities) }

    /// A checksum over all entities' version hashes, as Xcode prints it.
    public var versionChecksum: String { ModelVersion.checksum(entityVersionHashesByName) }

    /// Whether a store with some metadata can be opened with a configuration of this model.
    ///
    /// - Parameters:
    ///   - configuration: A configuration's name; nil for the whole model.
    ///   - metadata: The store's metadata.
    /// - Returns: False also if there is no such configuration, or the metadata has no hashes.
    public func isConfiguration(
        withName configuration: String?,
        compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let entities = entities(forConfigurationName: configuration),
            let hashes = ModelVersion.hashes(inMetadata: metadata)
        else { return false }
        return ModelVersion.hashes(of: entities) == hashes
    }
}
