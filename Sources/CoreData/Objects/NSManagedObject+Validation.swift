import Foundation

/// Checks against the rules of the model; `save()` calls these for every changed object.
extension NSManagedObject {
    /// The errors of an object's values; relationships are checked by their number of objects.
    final func checkProperties() throws {
        let hasHooks =
            ValidationHooks.areOverridden(by: type(of: self))
            || registry.keyedProperties?.validates == true
        // Without an override nothing can see which way was taken, and the plain one boxes no
        // values.
        var errors = hasHooks ? errorsOfHooks() : plainErrors()
        if hasBoxes, let overlay { errors += danglingErrors(overlay) }
        if let error = CocoaError.combining(errors) { throw error }
    }

    private func plainErrors() -> [any Error] {
        // A number out of range may stand in an attribute without a rule, which is else not looked
        // at.
        let slots =
            flags.contains(.outOfRange)
            ? Set(layout.validatedSlots + layout.attributeSlots).sorted() : layout.validatedSlots
        guard !slots.isEmpty else { return [] }
        var errors: [any Error] = []
        layout.slots.withUnsafeBufferPointer { properties in
            for slot in slots {
                let property = properties[slot]
                // Of an object whose row was never read, only what changed can be wrong.
                if flags.contains(.fault), overlay?.changed.contains(slot) != true { continue }
                if property.isRelationship {
                    // Counting would read the store; what nobody touched has not changed.
                    guard isTouched(property) else { continue }
                    check(property, anyValue(slot), &errors)
                } else if property.hasValidationPredicates {
                    check(property, anyValue(slot), &errors)
                } else {
                    let failures = property.failures(of: validatedValue(property))
                    if !failures.isEmpty { report(failures, property, anyValue(slot), &errors) }
                }
            }
        }
        return errors
    }

    /// Calls `validateValue(_:forKey:)` for each property, and sets what that puts in its place.
    private func errorsOfHooks() -> [any Error] {
        var errors: [any Error] = []
        for property in layout.slots where !property.isComputed {
            let slot = property.index
            if flags.contains(.fault), overlay?.changed.contains(slot) != true { continue }
            if property.isRelationship, !isTouched(property) { continue }
            let before = anyValue(slot)
            var value = before
            do {
                try validate(&value, forKey: property.name)
            } catch {
                errors.append(error)
                continue
            }
            // Only what the hook has replaced: setting an equal value would note a change.
            if !property.isSame(before, value) { setValue(value, forKey: property.name) }
        }
        return errors
    }

    /// Whether a relationship can have become invalid.
    private func isTouched(_ property: PropertySlot) -> Bool {
        // The row tells of a to-one without a query, so an untouched one is checked as well.
        if !property.isToMany, property.isRequired { return true }
        return isInserted || overlay?.changed.contains(property.index) == true
    }

    /// Checks a value that a property has, or that it is to have.
    final func checkValue(_ value: Any?, _ property: PropertySlot) throws {
        guard !property.isComputed else { return }
        var errors: [any Error] = []
        check(property, value is NSNull ? nil : value, &errors)
        if let error = CocoaError.combining(errors) { throw error }
    }

    private func check(_ property: PropertySlot, _ value: Any?, _ errors: inout [any Error]) {
        let failures: [ValidationFailure]
        if property.isRelationship {
            failures = relationshipFailures(property, value)
        } else if let stored = property.kind.slotValue(value) {
            failures = property.failures(of: stored)
        } else {
            errors.append(
                CocoaError.coreData(
                    "\(layout.name).\(property.name) can't hold a value of type "
                        + "\(value.map { "\(type(of: $0))" } ?? "nil"): set one of the attribute's "
                        + "type."
                )
            )
            return
        }
        report(failures, property, value, &errors)
        if property.hasValidationPredicates { checkPredicates(property, value, &errors) }
    }

    private func report(
        _ failures: [ValidationFailure],
        _ property: PropertySlot,
        _ value: Any?,
        _ errors: inout [any Error]
    ) {
        for failure in failures {
            errors.append(
                CocoaError.validation(
                    failure,
                    entity: layout.name,
                    key: property.name,
                    object: self,
                    value: value,
                    range: property.exceededRange(value)
                )
            )
        }
    }

    private func validatedValue(_ property: PropertySlot) -> SlotValue {
        guard property.kind == .transformable || property.kind == .volatile else {
            return slotValue(property.index)
        }
        guard let value = anyValue(property.index) else { return .null }
        return .box(ValueBox(value))
    }

    private func relationshipFailures(
        _ property: PropertySlot,
        _ value: Any?
    ) -> [ValidationFailure] {
        guard property.isToMany else {
            return property.isRequired && value == nil ? [.missingMandatoryProperty] : []
        }
        let count = Self.objects(in: value, for: property).count
        if count == 0, property.isOptional { return [] }
        if count < property.minCount { return [.relationshipLacksMinimumCount] }
        // 0 stands for no limit, and 1 for a relationship to one.
        if property.maxCount > 1, count > property.maxCount {
            return [.relationshipExceedsMaximumCount]
        }
        return []
    }

    private func checkPredicates(
        _ property: PropertySlot,
        _ value: Any?,
        _ errors: inout [any Error]
    ) {
        // Whether a value may be missing is for the property's being optional to say.
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
            // A content that can't be read must stop the deletion: taken for empty it would pass
            // the rule.
            let related =
                try slot.isToMany
                ? readToMany(slot.index) : toOneObject(slot.index).map { [$0] } ?? []
            // Members that the same save deletes deny nothing.
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

extension PropertySlot {
    /// Whether the store or a fetch makes the values.
    fileprivate var isComputed: Bool {
        property is NSFetchedPropertyDescription || property is NSDerivedAttributeDescription
    }

    /// The integers that an attribute holds, if a value is not among them.
    fileprivate func exceededRange(_ value: Any?) -> ClosedRange<Int64>? {
        guard let stored = valueKind.slotValue(value), valueKind.rangeFailure(of: stored) != nil
        else { return nil }
        return valueKind.integerRange
    }

    /// Whether two values are the same to the property.
    fileprivate func isSame(_ left: Any?, _ right: Any?) -> Bool {
        if kind.isInRow, kind != .toOne, kind != .transformable {
            guard let left = kind.slotValue(left), let right = kind.slotValue(right) else {
                return false
            }
            return left.isSame(as: right)
        }
        return (left as? AnyHashable) == (right as? AnyHashable) && (left == nil) == (right == nil)
    }
}
