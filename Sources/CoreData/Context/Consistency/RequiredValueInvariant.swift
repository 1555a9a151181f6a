/// No required column is NULL after a save.
enum RequiredValueInvariant {
    static func check(_ plan: SavePlan) -> [Inconsistency] {
        plan.parts.flatMap { part in
            zip(part.objects.inserted, part.changes.inserts).flatMap(missing)
                + zip(part.objects.updated, part.changes.updates.map(\.row)).flatMap(missing)
        }
    }

    private static func missing(_ object: NSManagedObject, _ row: Row) -> [Inconsistency] {
        // A class of its own may allow what the model does not.
        guard type(of: object) == NSManagedObject.self else { return [] }
        return object.layout.slots.compactMap { slot in
            guard slot.kind.isInRow, !slot.isOptional, !slot.isTransient, row.isNull(slot.index),
                !(slot.property is NSDerivedAttributeDescription)
            else { return nil }
            return Inconsistency(
                object,
                "was saved with NULL for \(slot.name), but the model requires a value"
            )
        }
    }
}
