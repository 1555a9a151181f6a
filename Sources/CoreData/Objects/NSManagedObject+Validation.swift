import Foundation

/// Checks against the rules of the model; `save()` calls these for every changed object.
extension NSManagedObject {
    /// The errors of an object's values; relationships are checked by their number of objects.
    final func checkProperties() throws {
        let slots = layout.validatedSlots
        guard !slots.isEmpty else { return }
        var errors: [any Error] = []
        layout.slots.withUnsafeBufferPointer { properties in
            for slot in slots {
                // Of an object whose row was never read, only what changed can be wrong.
                if flags.contains(.fault), overlay?.changed.contains(slot) != true { continue }
                check(slot, properties, &errors)
            }
        }
        if let error = CocoaError.combining(errors) { throw error }
    }

    private func check(
        _ slot: Int,
        _ properties: UnsafeBufferPointer<PropertySlot>,
        _ errors: inout [any Error]
    ) {
        var failures: [ValidationFailure] = []
        if properties[slot].isRelationship {
            failures = relationshipFailures(properties[slot])
        } else {
            failures = properties[slot].failures(of: validatedValue(properties[slot]))
        }
        for failure in failures {
            errors.append(
                CocoaError.validation(
                    failure,
                    entity: layout.name,
                    key: properties[slot].name,
                    object: self,
                    value: anyValue(slot)
                )
            )
        }
        if properties[slot].hasValidationPredicates { checkPredicates(properties[slot], &errors) }
    }

    private func validatedValue(_ property: PropertySlot) -> SlotValue {
        guard property.kind == .transformable || property.kind == .volatile else {
            return slotValue(property.index)
        }
        guard let value = anyValue(property.index) else { return .null }
        return .box(ValueBox(value))
    }

    private func relationshipFailures(_ property: PropertySlot) -> [ValidationFailure] {
        guard property.isToMany else {
            let isMissing = property.isRequired && toOneObject(property.index) == nil
            return isMissing ? [.missingMandatoryProperty] : []
        }
        // Counting would read the store; a relationship that nobody touched has not changed.
        guard isInserted || overlay?.changed.contains(property.index) == true else { return [] }
        let count = toManyObjects(property.index).count
        if count == 0 {
            return property.isOptional ? [] : [.relationshipLacksMinimumCount]
        }
        if count < property.minCount { return [.relationshipLacksMinimumCount] }
        if property.maxCount > 1, count > property.maxCount {
            return [.relationshipExceedsMaximumCount]
        }
        return []
    }

    private func checkPredicates(_ property: PropertySlot, _ errors: inout [any Error]) {
        let value = anyValue(property.index)
        guard value != nil else { return }
        let predicates = property.property.givenPredicates
        for (index, predicate) in predicates.enumerated()
        where !predicate.evaluate(with: value) {
            let warnings = property.property.givenWarnings
            errors.append(
                CocoaError.validation(
                    predicate: predicate,
                    warning: index < warnings.count ? warnings[index] : nil,
                    entity: layout.name,
                    key: property.name,
                    object: self,
                    value: value
                )
            )
        }
    }

    /// The errors of a deletion that a deny rule forbids.
    final func checkDeletion() throws {
        var errors: [any Error] = []
        for slot in layout.slots
        where slot.isRelationship && slot.deleteRule == .denyDeleteRule && slot.kind != .volatile {
            let related = slot.isToMany
                ? toManyObjects(slot.index) : toOneObject(slot.index).map { [$0] } ?? []
            guard related.contains(where: { !$0.flags.contains(.deleted) }) else { continue }
            errors.append(
                CocoaError.validation(
                    .relationshipDeniedDelete,
                    entity: layout.name,
                    key: slot.name,
                    object: self,
                    value: nil
                )
            )
        }
        if let error = CocoaError.combining(errors) { throw error }
    }
}
