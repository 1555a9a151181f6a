import Foundation

extension NSMappingModel {
    /// Reads a compiled mapping model.
    ///
    /// - Parameter url: A `.cdm`.
    /// - Returns: nil if the file can't be read; ``init(readingFrom:)`` says why.
    public convenience init?(contentsOf url: URL?) {
        guard let url else { return nil }
        do {
            try self.init(readingFrom: url)
        } catch {
            // Apple's initializer has no other way to report a failure.
            return nil
        }
    }

    /// Reads a compiled mapping model and says why if it can't be read. Not in Apple's framework.
    ///
    /// - Parameter url: A `.cdm`. It may have been made to do harm.
    /// - Throws: `CocoaError` 259 that says what is wrong with it; a file error.
    public convenience init(readingFrom url: URL) throws {
        let mappings = try MappingModelReader.entityMappings(in: url)
        self.init()
        entityMappings = mappings
    }

    /// Finds the mapping model between two models among the resources of some bundles: the one
    /// whose version hashes are those of the models' entities.
    ///
    /// - Parameter bundles: Where to look; nil for the main bundle.
    /// - Returns: nil if there is none.
    public convenience init?(
        from bundles: [Bundle]?,
        forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        let folders = (bundles ?? [Bundle.main]).map { $0.resourceURL ?? $0.bundleURL }
        guard
            let mappings = Self.entityMappings(
                in: folders,
                from: sourceModel.entityVersionHashesByName,
                to: destinationModel.entityVersionHashesByName
            )
        else { return nil }
        self.init()
        entityMappings = mappings
    }

    /// The mappings of the first file in some folders that fits.
    static func entityMappings(
        in folders: [URL],
        from source: [String: Data],
        to destination: [String: Data]
    ) -> [NSEntityMapping]? {
        let files = folders.flatMap { folder in
            FileReading.names(in: folder, endingIn: ["cdm"]).map(folder.appendingPathComponent)
        }
        return files.lazy.compactMap { NSMappingModel(contentsOf: $0)?.entityMappings }
            .first { $0.fits(from: source, to: destination) }
    }
}

extension [NSEntityMapping] {
    /// Whether the mappings are from and to entities of those version hashes.
    ///
    /// Entities that no mapping names are not looked at: a mapping may leave them out.
    fileprivate func fits(from source: [String: Data], to destination: [String: Data]) -> Bool {
        !isEmpty
            && allSatisfy { mapping in
                mapping.sourceEntityName.map { source[$0] == mapping.sourceEntityVersionHash }
                    ?? true
                    && mapping.destinationEntityName
                        .map { destination[$0] == mapping.destinationEntityVersionHash } ?? true
            }
    }
}
