import Foundation

/// What the table `Z_METADATA` holds: the store's UUID and a property list.
struct StoreMetadata {
    var uuid: String
    /// Without the UUID, which stands in a column of its own.
    var values: [String: Any]

    private static let hashesKey = "NSStoreModelVersionHashes"
    private static let frameworkVersion = 1344
    /// What the format needs; a client that sets the metadata cannot remove it.
    private static let requiredKeys = [
        NSStoreTypeKey, hashesKey, "NSStoreModelVersionHashesVersion",
        "NSStoreModelVersionIdentifiers", "NSPersistenceFrameworkVersion",
        "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
        "_NSAutoVacuumLevel",
    ]

    /// The metadata of a new store.
    init(entities: [EntityLayout]) {
        let hashes = ModelVersion.hashes(of: entities.map(\.entity))
        let identifiers = entities.first?.entity.model?.versionIdentifiers ?? []
        uuid = UUID().uuidString
        values = [
            NSStoreTypeKey: NSSQLiteStoreType,
            "NSPersistenceFrameworkVersion": Self.frameworkVersion,
            Self.hashesKey: hashes,
            "NSStoreModelVersionHashesVersion": 3,
            "NSStoreModelVersionIdentifiers": identifiers.map { "\($0.base)" }.sorted(),
            "NSStoreModelVersionHashesDigest": ModelVersion.digest(hashes),
            "NSStoreModelVersionChecksumKey": ModelVersion.checksum(hashes),
            "_NSAutoVacuumLevel": "2",
        ]
    }

    /// Reads the metadata of a store; nil if the database is empty.
    init?(in connection: SQLiteConnection, url: URL?) throws {
        guard try connection.hasTable("Z_METADATA") else {
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
        guard !uuid.isEmpty, uuid.utf8.count <= 255 else {
            throw CocoaError.corruptFile(url, "its UUID in Z_METADATA is missing")
        }
        let data = statement.bytes(1)
        do {
            values = try Self.propertyList(data)
        } catch {
            throw CocoaError.corruptFile(
                url,
                "the metadata in Z_METADATA is damaged: \(error.reason)",
                underlying: error
            )
        }
    }

    private static func propertyList(_ data: Data) throws(ArchiveError) -> [String: Any] {
        guard case .dictionary(let values) = try PropertyList.read(data) else {
            throw ArchiveError(reason: "it is not a dictionary")
        }
        return values.mapValues(\.anyValue)
    }

    /// The metadata as clients see it.
    var clientValues: [String: Any] {
        values.merging([NSStoreUUIDKey: uuid], uniquingKeysWith: { $1 })
    }

    /// Takes in what a client set.
    mutating func set(_ clientValues: [String: Any]) {
        var new = clientValues
        new[NSStoreUUIDKey] = nil
        for key in Self.requiredKeys where new[key] == nil { new[key] = values[key] }
        values = new
    }

    /// Writes the row; the caller has begun a transaction.
    func write(to connection: SQLiteConnection, url: URL?) throws {
        guard let list = PropertyListValue(values) else {
            throw CocoaError.storeSave(
                url,
                "the metadata holds something that is no property list; keep to strings, numbers, "
                    + "dates, data, arrays and dictionaries"
            )
        }
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)"
        )
        statement.bind(1, uuid)
        statement.bind(2, BinaryPropertyListWriter.data(list))
        try statement.run()
    }

    /// Checks that the store was made with this version of the entities.
    ///
    /// Entities whose hash can't be worked out (see `ModelVersion`) only have to be there; their
    /// columns are checked when the tables are looked up.
    ///
    /// - Throws: 134100, which names the entities that differ.
    func checkCompatible(with entities: [EntityLayout], url: URL?) throws {
        let expected = ModelVersion.hashes(of: entities.map(\.entity))
        let found = values[Self.hashesKey] as? [String: Any] ?? [:]
        let names = Set(expected.keys).union(found.keys)
        let uncertain = Set(entities.filter(\.hasUncertainVersionHash).map(\.name))
        let differing = names.filter { name in
            let hash = found[name] as? Data
            return hash != expected[name] && (hash == nil || !uncertain.contains(name))
        }
        .sorted()
        guard differing.isEmpty else {
            throw CocoaError.incompatibleVersionHash(
                url,
                metadata: clientValues,
                differing: differing
            )
        }
    }
}

extension EntityLayout {
    /// Whether Apple's framework has another hash for the entity than the one that is worked out.
    fileprivate var hasUncertainVersionHash: Bool {
        slots.contains {
            $0.property is NSDerivedAttributeDescription
                || $0.property is NSCompositeAttributeDescription
        }
    }
}
