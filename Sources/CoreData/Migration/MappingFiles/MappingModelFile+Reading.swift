import Foundation

extension MappingModelFile {
    /// The mappings of a file.
    ///
    /// - Throws: 259 for a file that is damaged or no mapping model; a file error.
    static func entityMappings(in url: URL) throws -> [NSEntityMapping] {
        let url = existing(url)
        guard isSource(url) else { return try MappingModelReader.entityMappings(in: url) }
        return try MappingSourceReader(url).entityMappingsOfAnyForm()
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
        if let known = KnownMappingFiles.versions(of: url),
            !known.contains(where: { $0.fit(from: source, to: destination) })
        {
            return nil
        }
        var versions: [[MappingEnds]] = []
        func fit(_ mappings: [NSEntityMapping]) -> Bool {
            versions.append(mappings.map(MappingEnds.init))
            return versions[versions.count - 1].fit(from: source, to: destination)
        }
        var files = FileStamps(contents(of: url))
        if isSource(url) {
            let reader = try MappingSourceReader(url)
            for file in reader.filesBeside { files.add(file) }
            let mappings = try reader.entityMappingsOfAnyForm()
            if fit(mappings) { return mappings }
            // The copies in a source are as old as it is, while the versions beside it may have gone
            // on since.
            if let models = try reader.modelsBeside() {
                let present = try reader.entityMappings(between: models)
                if fit(present) { return present }
            }
        } else {
            let mappings = try MappingModelReader.entityMappings(in: url)
            if fit(mappings) { return mappings }
        }
        KnownMappingFiles.remember(url, versions, from: files)
        return nil
    }
}
