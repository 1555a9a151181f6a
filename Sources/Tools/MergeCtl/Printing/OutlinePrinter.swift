import CoreData
import StoreInspection

/// Models as text.
enum OutlinePrinter {
    static func hexadecimal(_ data: Data) -> String {
        data.map { String(format: "%02x", $0) }.joined()
    }

    static func lines(_ outline: ModelOutline) -> [String] {
        var lines = outline.entities.flatMap { entity in
            [title(entity.name, entity.facts)]
                + HelpText.columns(entity.items.map { ("\($0.kind) \($0.name)", text($0.facts)) })
        }
        lines += outline.items.map { title("\($0.kind) \($0.name)", $0.facts) }
        if !outline.versionIdentifiers.isEmpty {
            lines.append("versions: " + outline.versionIdentifiers.joined(separator: ", "))
        }
        return lines
    }

    static func lines(_ changes: ModelChanges) -> [String] {
        if changes.isEmpty { return ["The models say the same."] }
        var lines = changes.removedEntities.map { "- entity \($0)" }
        lines += changes.addedEntities.map { "+ entity \($0)" }
        for entity in changes.changedEntities {
            let former = entity.formerName == entity.name ? "" : " (was \(entity.formerName))"
            lines.append("\(entity.name)\(former)")
            lines += entity.lines.map { "  " + $0 }
        }
        lines += changes.otherLines
        lines.append(
            changes.needsMigration
                ? "Stores of the first have to be migrated."
                : "Stores of the first open with the second."
        )
        return lines
    }

    private static func title(_ name: String, _ facts: [ModelOutline.Fact]) -> String {
        facts.isEmpty ? name : "\(name): \(text(facts))"
    }

    private static func text(_ facts: [ModelOutline.Fact]) -> String {
        facts.map { $0.value == "yes" ? $0.name : "\($0.name) \($0.value)" }
            .joined(separator: ", ")
    }
}
