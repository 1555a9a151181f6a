import Foundation

/// A version hash that a file states for an entity whose hash cannot be computed.
struct StatedVersionHash {
    /// The hash that was computed when the entity was read: the statement counts as long as this
    /// is what comes out.
    let computed: Data
    let stated: Data

    /// Takes in the hashes that a file states for the entities of a model.
    ///
    /// - Returns: The names of the entities whose hash should have come out and did not, sorted.
    static func take(_ hashes: [String: Data], into model: NSManagedObjectModel) -> [String] {
        var differing: [String] = []
        // Parents first, since their hashes are part of their sub-entities'.
        for entity in ModelLayout.preorder(model.entities) {
            let computed = entity.versionHash
            guard let stated = hashes[entity.name ?? ""], stated != computed else { continue }
            guard hasUnknownHash(entity) else {
                differing.append(entity.name ?? "")
                continue
            }
            entity.statedVersionHash = StatedVersionHash(computed: computed, stated: stated)
        }
        return differing.sorted()
    }

    /// Whether Apple's hash of an entity is made by rules that are not known.
    private static func hasUnknownHash(_ entity: NSEntityDescription) -> Bool {
        entity.properties.contains {
            !$0.isTransient
                && ($0 is NSDerivedAttributeDescription || $0 is NSCompositeAttributeDescription)
        }
    }
}
