import Foundation

/// Puts a mapping model into a keyed archive, `.cdm`, with the classes and fields of Xcode's.
///
/// The same mappings give the same bytes.
struct MappingModelWriter {
    private let builder = KeyedArchiveBuilder()

    /// - Throws: What has no form in archives.
    static func data(_ mappings: [NSEntityMapping]) throws(UnwritableQuery) -> Data {
        try MappingModelWriter().archive(mappings)
    }

    private func archive(_ mappings: [NSEntityMapping]) throws(UnwritableQuery) -> Data {
        var parts: [PropertyListValue] = []
        for mapping in mappings { parts.append(try entityMapping(mapping)) }
        // By name, whatever the order of the mappings, as equal dictionaries give equal bytes. The
        // order in which they are carried out is that of the array.
        let named = zip(mappings, parts).sorted { ($0.0.name ?? "") < ($1.0.name ?? "") }
        let root = builder.object(
            ["NSMappingModel", "NSObject"],
            [
                "NSEntityMappings": builder.array(parts),
                "NSEntityMappingsByName": builder.dictionary(
                    named.map { (key: builder.string($0.0.name), value: $0.1) },
                    isMutable: true
                ),
            ]
        )
        return builder.data(root: root)
    }

    private func entityMapping(
        _ mapping: NSEntityMapping
    ) throws(UnwritableQuery) -> PropertyListValue {
        let attributes = try propertyMappings(mapping.attributeMappings)
        let relationships = try propertyMappings(mapping.relationshipMappings)
        return builder.object(
            ["NSEntityMapping", "NSObject"],
            [
                "NSMappingName": builder.string(mapping.name),
                "NSMappingType": .integer(Int64(mapping.mappingType.rawValue)),
                "NSSourceEntityName": builder.string(mapping.sourceEntityName),
                "NSSourceEntityVersionHash": data(mapping.sourceEntityVersionHash),
                "NSDestinationEntityName": builder.string(mapping.destinationEntityName),
                "NSDestinationEntityVersionHash": data(mapping.destinationEntityVersionHash),
                "NSEntityMigrationPolicyClassName": builder.string(
                    mapping.entityMigrationPolicyClassName
                ),
                "NSSourceExpression": try expression(mapping.sourceExpression),
                "NSAttributeMappings": attributes,
                "NSRelationshipMappings": relationships,
                "NSUserInfo": try userInfo(mapping.userInfo),
            ]
        )
    }

    private func propertyMappings(
        _ mappings: [NSPropertyMapping]?
    ) throws(UnwritableQuery) -> PropertyListValue {
        var parts: [PropertyListValue] = []
        for mapping in mappings ?? [] {
            parts.append(
                builder.object(
                    ["NSPropertyMapping", "NSObject"],
                    [
                        "NSDestinationPropertyName": builder.string(mapping.name),
                        "NSValueExpression": try expression(mapping.valueExpression),
                        "NSPropertyTransforms": KeyedArchiveBuilder.null,
                        "NSUserInfo": try userInfo(mapping.userInfo),
                    ]
                )
            )
        }
        return builder.array(parts)
    }

    private func expression(
        _ expression: NSExpression?
    ) throws(UnwritableQuery) -> PropertyListValue {
        try PredicateArchiveWriter(builder: builder, allowsCalls: true).expression(expression)
    }

    private func data(_ data: Data?) -> PropertyListValue {
        data.map { builder.plain(.data($0)) } ?? KeyedArchiveBuilder.null
    }

    private func userInfo(
        _ userInfo: [AnyHashable: Any]?
    ) throws(UnwritableQuery) -> PropertyListValue {
        guard let userInfo, !userInfo.isEmpty else { return KeyedArchiveBuilder.null }
        do throws(UnarchivableValue) {
            return try builder.value(userInfo)
        } catch {
            throw UnwritableQuery(what: "a value of type \(error.typeName) in its user info")
        }
    }
}
