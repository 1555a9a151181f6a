import Foundation

extension ModelVersion {
    /// Checks that a store was made with this version of the entities.
    ///
    /// Entities whose hash can't be worked out only have to be there; what they consist of is
    /// checked when their rows are looked up.
    ///
    /// - Throws: 134100, which names the entities that differ.
    static func check(
        _ metadata: [String: Any],
        fits entities: [EntityLayout],
        url: URL?
    ) throws {
        let differing = differing(metadata, from: entities)
        guard differing.isEmpty else {
            throw CocoaError.incompatibleVersionHash(url, metadata: metadata, differing: differing)
        }
    }

    /// The names of the entities that a store has in another version, or not at all, or that are
    /// in the store alone.
    static func differing(_ metadata: [String: Any], from entities: [EntityLayout]) -> [String] {
        let expected = hashes(of: entities.map(\.entity))
        let found = metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
        let names = Set(expected.keys).union(found.keys)
        let uncertain = Set(entities.filter(\.hasUncertainVersionHash).map(\.name))
        return names.filter { name in
            let hash = found[name] as? Data
            // An uncertain entity must be named at least: a store that does not name it has no
            // table for it.
            return hash != expected[name] && (hash == nil || !uncertain.contains(name))
        }
        .sorted()
    }
}

extension NSPersistentStore {
    /// Completes the metadata that a store class has loaded, or not: type, UUID and version hashes.
    ///
    /// - Throws: 134100 if the store was made with another version of the entities.
    func completeMetadata(_ entities: [EntityLayout]) throws {
        var values = metadata ?? [:]
        if values[NSStoreModelVersionHashesKey] == nil {
            values[NSStoreModelVersionHashesKey] = ModelVersion.hashes(of: entities.map(\.entity))
            values[NSStoreModelVersionIdentifiersKey] = [String]()
        } else if !options.isOn(NSIgnorePersistentStoreVersioningOption) {
            try ModelVersion.check(values, fits: entities, url: url)
        }
        if values[NSStoreTypeKey] == nil { values[NSStoreTypeKey] = type }
        // The file's UUID goes before the one that this object was made with: object URIs of
        // earlier runs begin with it.
        if let uuid = values[NSStoreUUIDKey] as? String, !uuid.isEmpty {
            identifier = uuid
        } else {
            values[NSStoreUUIDKey] = identifier
        }
        metadata = values
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
