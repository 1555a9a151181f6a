import Foundation

/// Sets the parents of entities that a model file names.
enum ModelInheritance {
    // What no sensible model reaches, and what a hostile file would need to take all memory.
    private static let maximumDepth = 100
    private static let maximumPropertyCount = 1_000_000

    /// What is wrong with the parent of an entity.
    struct Problem: Error {
        let entityName: String
        /// Without a full stop.
        let message: String
    }

    /// Makes each entity a sub-entity of its parent, once it is certain that inheritance ends.
    ///
    /// - Parameters:
    ///   - entities: The entities, with their own properties; none has a parent yet.
    ///   - parentNames: The name of the parent, by the name of the entity.
    static func link(
        _ entities: [NSEntityDescription],
        parentNames: [String: String]
    ) throws(Problem) {
        let byName = Dictionary(
            entities.map { ($0.name ?? "", $0) },
            uniquingKeysWith: { $1 }
        )
        var propertyCount = 0
        for entity in entities {
            let name = entity.name ?? ""
            if let parent = parentNames[name], byName[parent] == nil {
                throw Problem(
                    entityName: name,
                    message: "the parent entity \"\(parent)\" of \"\(name)\" does not exist"
                )
            }
            // In a circle this would go on for ever: one more than is allowed tells both cases.
            let line = Array(sequence(first: name) { parentNames[$0] }.prefix(maximumDepth + 1))
            guard line.count <= maximumDepth else {
                throw Problem(
                    entityName: name,
                    message: "the entity \"\(name)\" inherits from itself, or over more than "
                        + "\(maximumDepth) levels"
                )
            }
            // Each entity repeats what it inherits, so that a small file can make a very large
            // model.
            propertyCount += line.reduce(0) { $0 + (byName[$1]?.ownProperties.count ?? 0) }
            guard propertyCount <= maximumPropertyCount else {
                throw Problem(
                    entityName: name,
                    message: "the entities have too many properties with inherited ones"
                )
            }
        }
        // Only when all are checked: code that follows the parents of a circle would never end.
        let children = Dictionary(grouping: entities) { parentNames[$0.name ?? ""] ?? "" }
        for (name, list) in children where !name.isEmpty { byName[name]?.subentities = list }
    }
}
