import Foundation

/// A version hash that a file states for an entity whose hash cannot be computed.
struct StatedVersionHash {
    /// The hash that was computed when the entity was read: the statement counts as long as this
    /// is what comes out.
    let computed: Data
    let stated: Data
}

/// The version hashes that a file states for the entities of a model.
struct HashStatement {
    /// By the names of entities.
    let hashes: [String: Data]
    /// Where they stand, and the verb: "VersionInfo.plist states".
    let place: String

    /// Takes the hashes in for the entities whose own can't be computed, and keeps all of them for
    /// `contradictions(of:)`.
    func apply(to model: NSManagedObjectModel) {
        // Parents first, since their hashes are part of their sub-entities'.
        for entity in ModelLayout.preorder(model.entities) where Self.hasUnknownHash(entity) {
            let computed = entity.versionHash
            guard let stated = hashes[entity.name ?? ""], stated != computed else { continue }
            entity.statedVersionHash = StatedVersionHash(computed: computed, stated: stated)
        }
        model.hashStatements.append(self)
    }

    /// A sentence for each entity whose hash should be the stated one and is another, by name.
    func contradictions(of model: NSManagedObjectModel) -> [String] {
        model.entities.filter { entity in
            guard let stated = hashes[entity.name ?? ""] else { return false }
            return !Self.hasUnknownHash(entity) && stated != entity.versionHash
        }.compactMap(\.name).sorted().map { name in
            "The entity \(name): \(place) another version hash than the one that comes out."
        }
    }

    /// Whether Apple's hash of an entity is made by rules that are not known, or not known for certain:
    /// the order of several uniqueness constraints is read off those of two.
    private static func hasUnknownHash(_ entity: NSEntityDescription) -> Bool {
        entity.uniquenessConstraints.count > 1
            || entity.properties.contains {
                !$0.isTransient
                    && ($0 is NSDerivedAttributeDescription
                        || $0 is NSCompositeAttributeDescription)
            }
    }
}
