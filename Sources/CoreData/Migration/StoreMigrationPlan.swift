import Foundation

/// The way of an SQLite store's file to another version of its model, step by step. Not in Apple's
/// framework.
///
/// Each step is a migration of its own: if one fails, the store is left whole at the version
/// before it, and a plan made anew goes on from there.
///
/// > Threading: Make and run it on one thread.
public struct StoreMigrationPlan {
    /// From one version to the next.
    public struct Step {
        /// The version that the store is of before.
        public let source: NSManagedObjectModel
        /// The version that the store is of afterwards.
        public let destination: NSManagedObjectModel
        /// What happens to the entities of the store, if the mapping is inferred.
        public let forecast: MigrationForecast
        /// Whether a mapping model was found, which then decides what happens.
        public let hasMappingModel: Bool

        /// The name of the destination's file.
        public var name: String {
            destination.fileURL?.deletingPathExtension().lastPathComponent ?? "the model"
        }

        /// Whether the step can be carried out, as far as the models tell.
        public var canRun: Bool { hasMappingModel || forecast.isInferable }

        /// The entities that would go, if that is a loss: if they are all, or have objects.
        ///
        /// Empty where a mapping model says what becomes of them.
        public var lostEntities: [MigrationForecast.RemovedEntity] {
            if hasMappingModel { return [] }
            let removed = forecast.removedEntities
            return forecast.removesAllEntities
                ? removed : removed.filter { $0.objectCount != 0 }
        }

        /// The properties of entities with objects whose values would go, or might.
        ///
        /// Empty where a mapping model says what becomes of them.
        public var lostValues: [MigrationForecast.LostValues] {
            hasMappingModel ? [] : forecast.lostValues.filter { $0.objectCount != 0 }
        }

        fileprivate init(
            _ storeClass: any MigratingStore.Type,
            from source: NSManagedObjectModel,
            to destination: NSManagedObjectModel,
            at url: URL,
            counts: [String: Int]
        ) throws {
            self.source = source
            self.destination = destination
            forecast = MigrationForecast(from: source, to: destination, counts: counts)
            hasMappingModel =
                try StoreMigrator(storeClass, url, from: source, to: destination)
                .foundMapping() != nil
        }
    }

    /// The store's file.
    public let url: URL
    /// The steps; empty if the store is of the version already.
    public let steps: [Step]
    private let storeClass: any MigratingStore.Type

    /// Works out the steps.
    ///
    /// - Parameters:
    ///   - url: The store's file; it is only read.
    ///   - destination: The version to go to.
    ///   - versions: The versions to go through, the earliest first. Those before the store's own
    ///     are left out, and those from `destination` on.
    /// - Throws: 134130 if the store's model is not found among the versions, beside the
    ///   destination's file, in bundles or in the store; what reading the store, or a model,
    ///   throws.
    public init(
        forStoreAt url: URL,
        to destination: NSManagedObjectModel,
        through versions: [NSManagedObjectModel] = []
    ) throws {
        self.url = url
        storeClass = try StoreClasses.migratingClass(NSSQLiteStoreType)
        let metadata = try storeClass.metadataForPersistentStore(with: url)
        let hashes = ModelVersion.hashes(inMetadata: metadata) ?? [:]
        let version = StoreVersion(destination, entityNames: nil)
        // Not by hashes alone: where these can't tell, as for entities with derived attributes, the
        // store looks at its tables.
        guard try !storeClass.isCompatible(at: url, options: nil, with: version) else {
            steps = []
            return
        }
        // The last of several with equal hashes: there is nothing to migrate between them.
        let place = versions.lastIndex { $0.entityVersionHashesByName == hashes }
        let known = place.map { versions[$0] }
        guard
            let source = try known
                ?? SourceModels.model(
                    forStoreMetadata: metadata,
                    at: url,
                    destination: destination
                )
        else { throw CocoaError.missingSourceModel(url, metadata: metadata) }
        let end = destination.entityVersionHashesByName
        // Without a place among the versions it is not known which of them are later than the
        // store: it goes straight to the destination.
        let between = versions[(place.map { $0 + 1 } ?? versions.endIndex)...]
            .prefix { $0.entityVersionHashesByName != end }
        let chain = [source] + between + [destination]
        // The file is of the first version only, so the numbers are carried on from step to step.
        var counts = try storeClass.rowCounts(at: url)
        var planned: [Step] = []
        for (source, destination) in zip(chain, chain.dropFirst()) {
            planned.append(
                try Step(storeClass, from: source, to: destination, at: url, counts: counts)
            )
            counts = Self.counts(counts, after: source, destination)
        }
        steps = planned
    }

    /// The numbers of objects under the names of the next version.
    private static func counts(
        _ counts: [String: Int],
        after source: NSManagedObjectModel,
        _ destination: NSManagedObjectModel
    ) -> [String: Int] {
        let match = ModelMatch(source: source.entities, destination: destination.entities)
        var result = Dictionary(
            match.added.map { ($0.currentName, 0) },
            uniquingKeysWith: { first, _ in first }
        )
        for pair in match.pairs {
            result[pair.destination.currentName] = counts[pair.source.currentName]
        }
        return result
    }

    /// Carries out the steps.
    ///
    /// - Parameters:
    ///   - options: Options of the store.
    ///   - willBegin: Called with the number of each step, from 0, before it.
    /// - Throws: 134140 for a step that needs a mapping model and has none; what the migration
    ///   throws. The store is whole, at the version where it stood then.
    public func run(
        options: [AnyHashable: Any]? = nil,
        willBegin: (Int) -> Void = { _ in }
    ) throws {
        for (number, step) in steps.enumerated() {
            willBegin(number)
            let models = (step.source, step.destination)
            try StoreMigrator(storeClass, url, options, from: models.0, to: models.1)
                .run(infers: true)
        }
    }
}
