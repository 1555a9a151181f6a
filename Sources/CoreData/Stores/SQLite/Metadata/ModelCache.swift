import Foundation

/// The model that a store keeps of itself: the row of the table `Z_MODELCACHE`, a keyed archive
/// under raw DEFLATE.
enum ModelCache {
    /// What an archive may grow to.
    private static let maximumByteCount = PropertyList.maximumByteCount

    /// Fills a model, which is empty yet, with the one that a store keeps.
    ///
    /// - Throws: 134130 if the store keeps none, as those of before iOS 9; 259 for a damaged one.
    static func read(
        into model: NSManagedObjectModel,
        in connection: SQLiteConnection,
        metadata: StoreMetadata,
        url: URL?
    ) throws {
        guard let content = try content(in: connection) else {
            throw CocoaError.missingCachedModel(url, metadata: metadata.clientValues)
        }
        do throws(ArchiveError) {
            // Bounded, since a few bytes of a file that was made to do harm may inflate to any
            // size.
            let data = try Inflater.inflate(content, maximumByteCount: maximumByteCount)
            try ModelArchiveReader.read(data, into: model)
        } catch {
            throw CocoaError.corruptFile(
                url,
                "the model in its table Z_MODELCACHE cannot be read: \(error.reason); open the store "
                    + "with a model file",
                underlying: error
            )
        }
        let stated = ModelVersion.hashes(inMetadata: metadata.values) ?? [:]
        HashStatement(hashes: stated, place: "the store's metadata state").apply(to: model)
    }

    private static func content(in connection: SQLiteConnection) throws -> Data? {
        guard try connection.hasTable("Z_MODELCACHE") else { return nil }
        let statement = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let content = statement.bytes(0)
        return content.isEmpty ? nil : content
    }

    /// Replaces what the store keeps; the caller has begun a transaction.
    static func write(_ model: NSManagedObjectModel, to connection: SQLiteConnection) throws {
        try connection.execute("DELETE FROM Z_MODELCACHE")
        let statement = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        statement.bind(1, Deflater.deflate(ModelArchiveWriter.data(model, .cached).data))
        try statement.run()
    }
}

extension SQLiteStore {
    static func cachedModel(
        at url: URL,
        options: [AnyHashable: Any]?
    ) throws -> NSManagedObjectModel {
        let opening = try StoreOpening(
            file: try StoreFile(url),
            options: options,
            isReadOnly: true
        )
        do {
            return try opening.readCachedModel()
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }
}
