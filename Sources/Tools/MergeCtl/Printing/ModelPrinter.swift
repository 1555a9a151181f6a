import StoreInspection

/// Tells what the entities of a model have, a line for each property and index.
enum ModelPrinter {
    /// The lines of one entity.
    static func rows(_ entity: ModelOutline.Entity) -> [(String, String)] {
        entity.items.map { item in
            (item.name, ([item.kind] + item.facts.map(text)).joined(separator: ", "))
        }
    }

    /// What stands above the lines of an entity.
    static func title(_ entity: ModelOutline.Entity) -> String {
        ([entity.name] + entity.facts.map(text)).joined(separator: ", ")
    }

    private static func text(_ fact: ModelOutline.Fact) -> String { "\(fact.name) \(fact.value)" }
}
