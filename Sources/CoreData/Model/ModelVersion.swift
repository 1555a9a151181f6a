import Foundation

/// Version hashes: what a store keeps of the model that it was made with.
///
/// Two models are compatible if their entities' hashes are equal. Names, types, optionality,
/// relationships, uniqueness and inheritance count; defaults, validation, class names, delete
/// rules, indexes and user info do not.
///
/// An entity with a derived or a composite attribute has another hash in Apple's framework; how it
/// is computed is not known. It is taken from where it is stated: beside a compiled model, or in
/// the store that the model was read from. Without such a statement Apple's framework will want to
/// migrate a store of such an entity.
enum ModelVersion {
    /// Key of the hashes, by entity name, in a store's metadata.
    static let metadataKey = "NSStoreModelVersionHashes"

    /// The hashes in a store's metadata; nil if it has none.
    static func hashes(inMetadata metadata: [String: Any]) -> [String: Data]? {
        guard let hashes = metadata[metadataKey] as? [String: Any] else { return nil }
        let data = hashes.compactMapValues { $0 as? Data }
        // With one left out, a damaged store would seem to have fewer entities.
        return data.count == hashes.count ? data : nil
    }

    // MARK: Models

    /// The hash of each entity, by name.
    static func hashes(of entities: [NSEntityDescription]) -> [String: Data] {
        var known: [ObjectIdentifier: Data] = [:]
        var hashes: [String: Data] = [:]
        for entity in entities { hashes[entity.name ?? ""] = hash(of: entity, known: &known) }
        return hashes
    }

    /// The digest of a model, as the metadata of a store has it (`NSStoreModelVersionHashesDigest`).
    static func digest(_ hashes: [String: Data]) -> String {
        var message = Data()
        for (name, hash) in sorted(hashes) {
            message.append(contentsOf: name.utf8)
            message.append(hash)
        }
        return SHA2.sha512(message).base64EncodedString()
    }

    /// The checksum of a model, as Xcode prints it (`NSStoreModelVersionChecksumKey`).
    static func checksum(_ hashes: [String: Data]) -> String {
        SHA2.sha256(sorted(hashes).reduce(into: Data()) { $0.append($1.hash) })
            .base64EncodedString()
    }

    private static func sorted(_ hashes: [String: Data]) -> [(name: String, hash: Data)] {
        hashes.map { (name: $0.key, hash: $0.value) }.sorted { isBefore($0.name, $1.name) }
    }

    /// Names are put in the order of their bytes, whatever letters they have.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    // MARK: Entities

    static func hash(of entity: NSEntityDescription) -> Data {
        var known: [ObjectIdentifier: Data] = [:]
        return hash(of: entity, known: &known)
    }

    private static func hash(
        of entity: NSEntityDescription,
        known: inout [ObjectIdentifier: Data]
    ) -> Data {
        if let hash = known[ObjectIdentifier(entity)] { return hash }
        // The order of the parts and their widths are the format of Apple's framework: with others
        // each of its stores would seem to be of another version.
        var message = Data((entity.name ?? "").utf8)
        message.append(entity.isAbstract ? 1 : 0)
        if let parent = entity.superentity { message.append(hash(of: parent, known: &known)) }
        // The others are not stored, and have no part in the version.
        let persistent = entity.properties.filter {
            !$0.isTransient && !($0 is NSFetchedPropertyDescription)
        }
        // By the bytes of the names, as Apple's framework sorts: without regard to case
        // `placeUpdated` would not come before `placemarkData`.
        for property in persistent.sorted(by: { isBefore($0.name, $1.name) }) {
            message.append(property.versionHash)
        }
        // In this order, and not in that of the model: three entities of a store of Apple's framework, each
        // with two constraints, have their hashes so.
        let constraints = entity.uniqueKeyGroups.map { $0.joined(separator: ".") }
        for constraint in constraints.sorted(by: isBefore) {
            message.append(contentsOf: constraint.utf8)
        }
        message.append(contentsOf: (entity.versionHashModifier ?? "").utf8)
        var hash = SHA2.sha256(message)
        // Stated of the entity as it was read: if it was changed since, another hash is computed.
        if let stated = entity.statedVersionHash, stated.computed == hash { hash = stated.stated }
        known[ObjectIdentifier(entity)] = hash
        return hash
    }

    // MARK: Properties

    static func baseHash(of property: NSPropertyDescription) -> Data {
        var message = Data(property.name.utf8)
        message.append(property.isOptional ? 1 : 0)
        // Zero for all persistent properties whose hashes are known.
        message.append(0)
        message.append(contentsOf: (property.versionHashModifier ?? "").utf8)
        return SHA2.sha256(message)
    }

    static func hash(of attribute: NSAttributeDescription) -> Data {
        var message = baseHash(of: attribute)
        append(Int(attribute.attributeType.rawValue), to: &message)
        if attribute.allowsExternalBinaryDataStorage { message.append(1) }
        if attribute.preservesValueInHistoryOnDeletion { message.append(1) }
        return SHA2.sha256(message)
    }

    static func hash(of relationship: NSRelationshipDescription) -> Data {
        var message = baseHash(of: relationship)
        message.append(contentsOf: (relationship.destinationEntity?.name ?? "").utf8)
        message.append(contentsOf: (relationship.inverseRelationship?.name ?? "").utf8)
        append(relationship.maxCount, to: &message)
        append(relationship.minCount, to: &message)
        if relationship.isOrdered { message.append(contentsOf: [1, 0]) }
        return SHA2.sha256(message)
    }

    private static func append(_ number: Int, to message: inout Data) {
        withUnsafeBytes(of: Int32(truncatingIfNeeded: number).littleEndian) {
            message.append(contentsOf: $0)
        }
    }
}
