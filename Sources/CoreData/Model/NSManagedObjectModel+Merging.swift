import Foundation

extension NSManagedObjectModel {
    /// Makes one model of copies of all entities of several.
    ///
    /// Entities of the same name and version hash count as one.
    ///
    /// - Precondition: Entities of the same name are the same in all models.
    /// - Returns: nil for nil.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models else { return nil }
        self.init()
        var hashes: [String: Data] = [:]
        for model in models {
            for (name, hash) in model.entityVersionHashesByName {
                let known = hashes.updateValue(hash, forKey: name) ?? hash
                require(
                    known == hash,
                    "Can't merge models with two different entities named '\(name)': rename one, or "
                        + "merge only one version of a model."
                )
            }
        }
        ModelCopier().copy(models, into: self)
    }

    /// Makes the model that a store was made with of copies of the entities of some models.
    ///
    /// - Returns: nil if the models don't have all entities of the store in its versions.
    public convenience init?(
        byMerging models: [NSManagedObjectModel],
        forStoreMetadata metadata: [String: Any]
    ) {
        guard let wanted = ModelVersion.hashes(inMetadata: metadata) else { return nil }
        let hashed = models.map { (model: $0, hashes: $0.entityVersionHashesByName) }
        // A model that has all of them is taken as it is, also with entities that the store lacks:
        // its relationships lead to them. First the one that has no others, for a later version may
        // only have added some; then one of which a configuration has no others.
        let wholes = hashed.filter { candidate in
            wanted.allSatisfy { candidate.hashes[$0.key] == $0.value }
        }
        let whole =
            wholes.first { $0.hashes.count == wanted.count }
            ?? wholes.first { candidate in
                candidate.model.configurations.contains {
                    candidate.model.isConfiguration(
                        withName: $0,
                        compatibleWithStoreMetadata: metadata
                    )
                }
            } ?? wholes.first
        if let whole {
            self.init(byMerging: [whole.model])
            return
        }
        // Only models all of whose entities the store has: others would bring in entities that it
        // lacks, or has in another version.
        let parts = hashed.filter { part in
            part.hashes.allSatisfy { wanted[$0.key] == $0.value }
        }
        let covered = Set(parts.flatMap(\.hashes.keys))
        guard covered.isSuperset(of: wanted.keys) else { return nil }
        self.init(byMerging: parts.map(\.model))
    }
}
