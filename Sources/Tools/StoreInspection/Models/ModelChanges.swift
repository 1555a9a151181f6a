import CoreData

/// What differs between two versions of a model.
///
/// > Threading: A value; any thread.
package struct ModelChanges: Hashable, Sendable {
    /// An entity that is in both versions, under one name or renamed.
    package struct EntityChange: Hashable, Sendable {
        /// The name in the newer version.
        package let name: String
        /// The name in the older version.
        package let formerName: String
        /// A line for each difference, for example `+ attribute title: type string`.
        package let lines: [String]
        /// Whether stores of the older version have to be migrated because of this entity.
        package let changesVersionHash: Bool
    }

    /// The names of entities that only the newer version has.
    package let addedEntities: [String]
    /// The names of entities that only the older version has.
    package let removedEntities: [String]
    /// The entities that differ, by name.
    package let changedEntities: [EntityChange]
    /// Differences outside of entities: identifiers, configurations, templates.
    package let otherLines: [String]

    /// Whether the versions say the same.
    package var isEmpty: Bool {
        addedEntities.isEmpty && removedEntities.isEmpty && changedEntities.isEmpty
            && otherLines.isEmpty
    }
    /// Whether stores of the older version have to be migrated.
    package var needsMigration: Bool {
        !addedEntities.isEmpty || !removedEntities.isEmpty
            || changedEntities.contains(where: \.changesVersionHash)
    }

    /// Compares two versions.
    ///
    /// An entity whose renaming identifier is the name of one of the older version counts as that
    /// one renamed.
    package init(from old: ModelOutline, to new: ModelOutline) {
        // A name that a faulty model has twice must not end the program.
        let former = Dictionary(old.entities.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var matched: Set<String> = []
        var added: [String] = []
        var changed: [EntityChange] = []
        for entity in new.entities {
            let formerName = entity.facts.first { $0.name == "renamed from" }?.value
            // Of two entities that say they come from the same one, the second counts as new.
            guard let counterpart = former[formerName ?? ""] ?? former[entity.name],
                matched.insert(counterpart.name).inserted
            else {
                added.append(entity.name)
                continue
            }
            let lines = Self.lines(counterpart, entity)
            let changesHash = counterpart.versionHash != entity.versionHash
            // The hash decides whether a store fits, also where no line tells what is different.
            if lines.isEmpty, !changesHash { continue }
            changed.append(
                EntityChange(
                    name: entity.name,
                    formerName: counterpart.name,
                    lines: lines,
                    changesVersionHash: changesHash
                )
            )
        }
        addedEntities = added
        removedEntities = old.entities.map(\.name).filter { !matched.contains($0) }
        changedEntities = changed
        var lines: [String] = []
        if old.versionIdentifiers != new.versionIdentifiers {
            lines.append(
                "version identifiers: \(old.versionIdentifiers.joined(separator: ", ")) → "
                    + new.versionIdentifiers.joined(separator: ", ")
            )
        }
        otherLines = lines + Self.lines(old.items, new.items)
    }

    // MARK: Lines

    private static func lines(
        _ old: ModelOutline.Entity,
        _ new: ModelOutline.Entity
    ) -> [String] {
        let facts = difference(old.facts, new.facts)
        return (facts.isEmpty ? [] : ["entity: \(facts)"]) + lines(old.items, new.items)
    }

    private static func lines(
        _ old: [ModelOutline.Item],
        _ new: [ModelOutline.Item]
    ) -> [String] {
        func key(_ item: ModelOutline.Item) -> String { "\(item.kind) \(item.name)" }
        let former = Dictionary(old.map { (key($0), $0) }, uniquingKeysWith: { $1 })
        let names = Set(new.map(key))
        let removed = old.filter { !names.contains(key($0)) }.map { "- \(key($0))" }
        return removed
            + new.compactMap { item in
                guard let counterpart = former[key(item)] else {
                    let facts = item.facts.map { "\($0.name) \($0.value)" }
                    return "+ \(key(item)): \(facts.joined(separator: ", "))"
                }
                let facts = difference(counterpart.facts, item.facts)
                return facts.isEmpty ? nil : "\(key(item)): \(facts)"
            }
    }

    private static func difference(
        _ old: [ModelOutline.Fact],
        _ new: [ModelOutline.Fact]
    ) -> String {
        let former = Dictionary(old.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        let present = Dictionary(new.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        return Set(former.keys).union(present.keys).sorted()
            .filter { former[$0] != present[$0] }
            .map { "\($0) \(former[$0] ?? "–") → \(present[$0] ?? "–")" }
            .joined(separator: ", ")
    }
}
