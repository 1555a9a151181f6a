import Foundation

/// Why the way from one version of a model to another can't be inferred.
///
/// What can be is listed in Apple's "Using Lightweight Migration".
struct InferenceProblem: Hashable, Sendable {
    /// The destination's entity.
    let entity: String
    /// The destination's property; nil if it is about the entity.
    let property: String?
    /// A sentence without a full stop.
    let reason: String

    /// All that stands in the way, in the destination's order; empty if the mapping can be
    /// inferred.
    static func all(in match: ModelMatch) -> [InferenceProblem] {
        match.pairs.flatMap { pair in
            pair.destination.properties.compactMap { property in
                // A property without a source is new, and never stands in the way.
                pair.sourceProperties[property.name].flatMap { source in
                    reason(source, property, match).map {
                        InferenceProblem(
                            entity: pair.destination.currentName,
                            property: property.name,
                            reason: $0
                        )
                    }
                }
            }
        } + mergedHierarchies(match)
    }

    private static func reason(
        _ source: NSPropertyDescription,
        _ destination: NSPropertyDescription,
        _ match: ModelMatch
    ) -> String? {
        switch (source, destination) {
        case (let source as NSAttributeDescription, let destination as NSAttributeDescription):
            return attributeReason(source.attributeType, destination.attributeType)
        case (let source as NSRelationshipDescription, let other as NSRelationshipDescription):
            return match.leadsOn(source, other) || match.isNarrowed(source, other)
                ? nil : "Source and destination relationships lead to different entities"
        default:
            return "An attribute can't become a relationship, nor a relationship an attribute"
        }
    }

    private static func attributeReason(
        _ source: NSAttributeType,
        _ destination: NSAttributeType
    ) -> String? {
        if AttributeConversion.keepsValues(from: source, to: destination) { return nil }
        let reason = "Source and destination attribute types are incompatible"
        guard AttributeConversion.isLossy(from: source, to: destination) else { return reason }
        return reason + ": \(source.sourceName) as \(destination.sourceName) could lose values"
    }

    /// Rows of different trees may have the same primary keys, and a tree's keys are unique.
    private static func mergedHierarchies(_ match: ModelMatch) -> [InferenceProblem] {
        var sourceRoots: [String: String] = [:]
        return match.pairs.compactMap { pair in
            let source = root(of: pair.source), destination = root(of: pair.destination)
            // The first pair decides which tree of the source a tree of the destination comes from;
            // the entities of any other tree are the ones that are told.
            let known = sourceRoots[destination] ?? source
            sourceRoots[destination] = known
            guard known != source else { return nil }
            return InferenceProblem(
                entity: pair.destination.currentName,
                property: nil,
                reason: "Entities without a common parent can't get one"
            )
        }
    }

    private static func root(of entity: NSEntityDescription) -> String {
        var root = entity
        while let parent = root.superentity { root = parent }
        return root.currentName
    }
}
