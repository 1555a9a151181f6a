import Foundation

/// What the table `Z_METADATA` holds: the store's UUID and a property list.
struct StoreMetadata {
    var uuid: String
    /// Without the UUID, which stands in a column of its own.
    var values: [String: Any]

    private static let frameworkVersion = 1344
    /// What the format needs; a client that sets the metadata cannot remove it.
    private static let requiredKeys = [
        NSStoreTypeKey, NSStoreModelVersionHashesKey, "NSStoreModelVersionHashesVersion",
        NSStoreModelVersionIdentifiersKey, "NSPersistenceFrameworkVersion",
        "NSStoreModelVersionHashesDigest", NSPersistentStoreModelVersionChecksumKey,
        "_NSAutoVacuumLevel",
    ]

    init(uuid: String, values: [String: Any]) {
        self.uuid = uuid
        self.values = values
    }

    /// The metadata of a new store.
    init(entities: [EntityLayout]) {
        let hashes = ModelVersion.hashes(of: entities.map(\.entity))
        let identifiers = entities.first?.entity.model?.versionIdentifiers ?? []
        uuid = UUID().uuidString
        values = [
            NSStoreTypeKey: NSSQLiteStoreType,
            "NSPersistenceFrameworkVersion": Self.frameworkVersion,
            NSStoreModelVersionHashesKey: hashes,
            "NSStoreModelVersionHashesVersion": 3,
            // A set has no order of its own: sorted, the same model gives the same metadata.
            NSStoreModelVersionIdentifiersKey: identifiers.map { "\($0.base)" }.sorted(),
            "NSStoreModelVersionHashesDigest": ModelVersion.digest(hashes),
            NSPersistentStoreModelVersionChecksumKey: ModelVersion.checksum(hashes),
            // A text and no number, as Apple's framework has it.
            "_NSAutoVacuumLevel": "2",
        ]
    }

    /// Reads the metadata of a store; nil if the database is empty.
    init?(in connection: SQLiteConnection, url: URL?) throws {
        guard try connection.hasTable("Z_METADATA") else {
            // An empty database is set up as a new store; one with tables is somebody else's and
            // stays as it is.
            let tables = try connection.integer("SELECT COUNT(*) FROM sqlite_master") ?? 0
            if tables == 0 { return nil }
            throw CocoaError.incompatibleSchema(
                url,
                "it is an SQLite database, but not one of Core Data: the table Z_METADATA is missing"
            )
        }
        let statement = try connection.statement(
            "SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1"
        )
        defer { statement.reset() }
        guard try statement.step() else {
            throw CocoaError.corruptFile(url, "its table Z_METADATA has no row")
        }
        uuid = statement.text(0)
        // Object IDs begin with it, so that a store without one could not name its rows.
        guard !uuid.isEmpty, uuid.utf8.count <= 255 else {
            throw CocoaError.corruptFile(url, "its UUID in Z_METADATA is missing")
        }
        values = try MetadataCoding.decode(statement.bytes(1), url: url)
    }

    /// The metadata as clients see it.
    var clientValues: [String: Any] {
        // The column decides, even if the property list has a UUID as well.
        values.merging([NSStoreUUIDKey: uuid], uniquingKeysWith: { $1 })
    }

    /// Takes in what a client set.
    mutating func set(_ clientValues: [String: Any]) {
        var new = clientValues
        // The UUID is not taken from the client: object IDs that were handed out begin with it.
        new[NSStoreUUIDKey] = nil
        for key in Self.requiredKeys where new[key] == nil { new[key] = values[key] }
        values = new
    }

    /// Writes the row; the caller has begun a transaction.
    func write(to connection: SQLiteConnection, url: URL?) throws {
        let data = try MetadataCoding.encode(values, url: url)
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)"
        )
        statement.bind(1, uuid)
        statement.bind(2, data)
        try statement.run()
    }

    /// Checks that the store was made with this version of the entities.
    ///
    /// - Throws: 134100, which names the entities that differ.
    func checkCompatible(with entities: [EntityLayout], url: URL?) throws {
        try ModelVersion.check(clientValues, fits: entities, url: url)
    }
}
