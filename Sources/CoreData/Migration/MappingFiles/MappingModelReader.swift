import Foundation

/// Reads compiled mapping models, `.cdm`: keyed archives of what `NSMappingModel` holds.
///
/// The keys are those that Xcode's files have. The archive may have been made to do harm: only
/// mapping models come out of it, with expressions that can call nothing but the migration
/// manager and the policy.
struct MappingModelReader {
    private let archive: KeyedArchive
    private let expressions: PredicateArchiveReader

    /// The mappings of a file.
    ///
    /// - Throws: 259 for a file that is damaged or no mapping model; a file error.
    static func entityMappings(in url: URL) throws -> [NSEntityMapping] {
        let data = try FileReading.bytes(of: url)
        do throws(ArchiveError) {
            return try MappingModelReader(try KeyedArchive(data)).entityMappings()
        } catch {
            throw CocoaError.modelFile(url, error.reason, underlying: error)
        }
    }

    private init(_ archive: KeyedArchive) {
        self.archive = archive
        // What can be called is decided in `MigrationScope`, which knows the manager and the policy
        // only.
        expressions = PredicateArchiveReader(archive, allowsCalls: true)
    }

    private func entityMappings() throws(ArchiveError) -> [NSEntityMapping] {
        guard case .object(let root) = try archive.root(), root.className == "NSMappingModel" else {
            throw ArchiveError(reason: "it holds no mapping model")
        }
        var mappings: [NSEntityMapping] = []
        for object in try objects(root, "NSEntityMappings", of: "NSEntityMapping") {
            mappings.append(try entityMapping(object))
        }
        return mappings
    }

    private func entityMapping(_ object: ArchivedObject) throws(ArchiveError) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = try object.string("NSMappingName") ?? ""
        // A plain conversion would stop the process for a negative number.
        let type = UInt(exactly: try object.integer("NSMappingType") ?? 0)
        guard let type = type.flatMap(NSEntityMappingType.init) else {
            throw object.malformed("NSMappingType")
        }
        mapping.mappingType = type
        mapping.sourceEntityName = try object.string("NSSourceEntityName")
        mapping.sourceEntityVersionHash = try data(object, "NSSourceEntityVersionHash")
        mapping.destinationEntityName = try object.string("NSDestinationEntityName")
        mapping.destinationEntityVersionHash = try data(object, "NSDestinationEntityVersionHash")
        mapping.entityMigrationPolicyClassName =
            try object.string("NSEntityMigrationPolicyClassName")
        mapping.sourceExpression = try expression(object, "NSSourceExpression")
        mapping.attributeMappings = try propertyMappings(object, "NSAttributeMappings")
        mapping.relationshipMappings = try propertyMappings(object, "NSRelationshipMappings")
        mapping.userInfo = try userInfo(object)
        return mapping
    }

    private func propertyMappings(
        _ object: ArchivedObject,
        _ key: String
    ) throws(ArchiveError) -> [NSPropertyMapping] {
        var mappings: [NSPropertyMapping] = []
        for object in try objects(object, key, of: "NSPropertyMapping") {
            let mapping = NSPropertyMapping()
            mapping.name = try object.string("NSDestinationPropertyName")
            mapping.valueExpression = try expression(object, "NSValueExpression")
            mapping.userInfo = try userInfo(object)
            mappings.append(mapping)
        }
        return mappings
    }

    // MARK: Fields

    private func objects(
        _ object: ArchivedObject,
        _ key: String,
        of className: String
    ) throws(ArchiveError) -> [ArchivedObject] {
        var objects: [ArchivedObject] = []
        for element in try object.object(key)?.elements() ?? [] {
            guard case .object(let element) = element, element.className == className else {
                throw object.malformed(key)
            }
            objects.append(element)
        }
        return objects
    }

    private func expression(
        _ object: ArchivedObject,
        _ key: String
    ) throws(ArchiveError) -> NSExpression? {
        guard let part = try object.object(key) else { return nil }
        return try expressions.expression(part)
    }

    private func data(_ object: ArchivedObject, _ key: String) throws(ArchiveError) -> Data? {
        let value = try propertyList(try object.value(key))
        guard let value else { return nil }
        guard let data = value as? Data else { throw object.malformed(key) }
        return data
    }

    private func userInfo(_ object: ArchivedObject) throws(ArchiveError) -> [AnyHashable: Any]? {
        let value = try propertyList(try object.value("NSUserInfo"))
        return (value as? NSDictionary) as? [AnyHashable: Any]
    }

    private func propertyList(_ value: ArchivedValue) throws(ArchiveError) -> Any? {
        let result = try ArchivedValueReader(archive)
            .object(value, allowing: FoundationArchive.propertyListClasses)
        return result is NSNull ? nil : result
    }
}
