/// Which relationships are kept in step with which.
///
/// As a rule these are those that name each other as inverse. But Xcode compiles models with
/// inverses that do not lead back, and apps have shipped them: `Image.artist` names
/// `Artist.thumbnail`, which names `Image.thumbnail`. Version hashes and descriptions say what each
/// side declares; at run time such a relationship has no inverse. A to-many whose rows can only
/// be told from its inverse, and one whose inverse names none, go with that all the same, if it is
/// free.
struct RelationshipPairs {
    private var partners: [ObjectIdentifier: NSRelationshipDescription] = [:]
    /// A sentence for each relationship whose inverse does not lead back.
    private(set) var warnings: [String] = []

    init(_ entities: [NSEntityDescription]) {
        var oneSided: [(relationship: NSRelationshipDescription, entity: NSEntityDescription)] = []
        for entity in entities {
            for case let relationship as NSRelationshipDescription in entity.ownProperties {
                guard let inverse = relationship.inverseRelationship else { continue }
                if inverse.inverseRelationship === relationship {
                    partners[ObjectIdentifier(relationship)] = inverse
                } else {
                    oneSided.append((relationship, entity))
                }
            }
        }
        // Only now: what one side says alone must not part two that name each other.
        for (relationship, entity) in oneSided {
            pair(relationship, of: entity)
            warnings.append(Self.warning(relationship, entity))
        }
    }

    /// What changes along with a relationship; nil for one without an inverse.
    func partner(of relationship: NSRelationshipDescription) -> NSRelationshipDescription? {
        partners[ObjectIdentifier(relationship)]
    }

    private mutating func pair(
        _ relationship: NSRelationshipDescription,
        of entity: NSEntityDescription
    ) {
        guard let inverse = relationship.inverseRelationship, inverse !== relationship,
            relationship.isToMany || inverse.inverseRelationship == nil,
            partner(of: relationship) == nil, partner(of: inverse) == nil,
            inverse.destinationEntity.map(entity.isKindOf) == true
        else { return }
        partners[ObjectIdentifier(relationship)] = inverse
        partners[ObjectIdentifier(inverse)] = relationship
    }

    private static func warning(
        _ relationship: NSRelationshipDescription,
        _ entity: NSEntityDescription
    ) -> String {
        let inverse = relationship.inverseRelationship
        let other = inverse?.inverseRelationship?.name
        return "\(entity.name ?? "").\(relationship.name): the inverse \"\(inverse?.name ?? "")\" "
            + "does not lead back to it, but "
            + (other.map { "to \"\($0)\"" } ?? "nowhere")
            + "; set the inverse at both ends."
    }
}
