import Foundation

/// Migrates one store's file in place: by a mapping model if there is one, else as inferred.
struct StoreMigrator {
    let url: URL
    let options: [AnyHashable: Any]?
    let source: StoreVersion
    let destination: StoreVersion
    let models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)

    /// - Parameter infers: Whether a mapping may be inferred.
    /// - Throws: 134140 if there is no mapping, and what the migration throws. The file is as it
    ///   was then.
    func run(infers: Bool) throws {
        guard infers else { throw missingMapping() }
        let problems = InferenceProblem.all(
            in: ModelMatch(
                source: source.entities.map(\.entity),
                destination: destination.entities.map(\.entity)
            )
        )
        guard problems.isEmpty else {
            throw missingMapping(CocoaError.inferredMapping(problems))
        }
        try SQLiteStore.migrate(at: url, options: options, from: source, to: destination)
    }

    private func missingMapping(_ cause: (any Error)? = nil) -> CocoaError {
        CocoaError.missingMappingModel(
            url,
            source: models.source,
            destination: models.destination,
            underlying: cause
        )
    }
}

extension StoreVersion {
    /// The entities of those names, or all.
    init(_ model: NSManagedObjectModel, entityNames: Set<String>?) {
        let layout = model.layout
        self.init(
            layout: layout,
            entities: layout.entities.filter { entityNames?.contains($0.name) != false }
        )
    }
}
