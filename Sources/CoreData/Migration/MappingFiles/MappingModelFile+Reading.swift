import Foundation

extension MappingModelFile {
    /// The mappings of a file.
    ///
    /// - Throws: 259 for a file that is damaged or no mapping model; a file error.
    static func entityMappings(in url: URL) throws -> [NSEntityMapping] {
        let url = existing(url)
        guard isSource(url) else { return try MappingModelReader.entityMappings(in: url) }
        let reader = try MappingSourceReader(url)
        do {
            return try reader.entityMappings()
        } catch {
            // A copy of a form that is not known.
            guard let models = try reader.modelsBeside() else { throw error }
            return try reader.entityMappings(between: models)
        }
    }

    /// The mappings of the first file in some folders that is between entities of those hashes.
    ///
    /// - Throws: What keeps a file from being read now: it may be the one.
    static func entityMappings(
        in folders: [URL],
        from source: [String: Data],
        to destination: [String: Data]
    ) throws -> [NSEntityMapping]? {
        for url in urls(in: folders) {
            do {
                if let found = try mappings(in: url, from: source, to: destination) { return found }
            } catch let error as CocoaError
                where [.fileReadCorruptFile, .fileReadNoSuchFile].contains(error.code)
            {
                // One of many files in a bundle, which may have nothing to do with these models.
                continue
            }
        }
        return nil
    }

    /// The mappings of a file, if they fit; of a source also those between what the models beside
    /// it are now.
    private static func mappings(
        in url: URL,
        from source: [String: Data],
        to destination: [String: Data]
    ) throws -> [NSEntityMapping]? {
        let mappings = try entityMappings(in: url)
        if mappings.fits(from: source, to: destination) { return mappings }
        // A compiled file has fixed hashes. The copies in a source are as old as it is, while the
        // versions beside it may have gone on since.
        guard isSource(url) else { return nil }
        let reader = try MappingSourceReader(url)
        let present = try reader.modelsBeside().map { try reader.entityMappings(between: $0) }
        return present?.fits(from: source, to: destination) == true ? present : nil
    }
}

extension [NSEntityMapping] {
    /// Whether the mappings are from and to entities of those version hashes.
    ///
    /// Entities that no mapping names are not looked at: a mapping may leave them out.
    fileprivate func fits(from source: [String: Data], to destination: [String: Data]) -> Bool {
        // Without this, a mapping model without mappings would fit all versions.
        !isEmpty
            && allSatisfy { mapping in
                mapping.sourceEntityName.map { source[$0] == mapping.sourceEntityVersionHash }
                    ?? true
                    && mapping.destinationEntityName
                        .map { destination[$0] == mapping.destinationEntityVersionHash } ?? true
            }
    }
}
