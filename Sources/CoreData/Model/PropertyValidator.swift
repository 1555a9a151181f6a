import Foundation

/// Checks values against the rules that a model gives a property.
///
/// Only what the value itself shows is checked here: numbers of related objects, validation
/// predicates and `validateValue` overrides are the caller's.
///
/// > Threading: Any thread.
enum PropertyValidator {
    /// The rules of the model that a value breaks, at most one of a kind; empty if it is valid.
    ///
    /// An empty string or collection is a value; only null is missing. A transient attribute's
    /// boxed value is checked like a stored one.
    static func failures(of value: SlotValue, in slot: PropertySlot) -> [ValidationFailure] {
        var value = value
        // Nothing stores a transient value: it may be any number, and none.
        let isStored = slot.kind != .volatile
        if case .box = value, slot.valueKind != .volatile, slot.kind == .volatile {
            value = unboxed(value, kind: slot.valueKind)
        }
        if value.isNull { return slot.isRequired ? [.missingMandatoryProperty] : [] }
        // What is not a number is neither too early nor too late, so that no limit would refuse it.
        if let failure = slot.valueKind.rangeFailure(of: value),
            isStored || failure != .notANumber
        {
            return [failure]
        }
        guard !slot.rules.isEmpty else { return [] }
        return slot.rules.compactMap { $0.failure(of: value) }
    }

    /// A transient value in the form that its type would be stored in; as it is, if it is of a
    /// foreign type.
    private static func unboxed(_ value: SlotValue, kind: StorageKind) -> SlotValue {
        kind.slotValue(kind.anyValue(value)) ?? value
    }
}

extension PropertySlot {
    /// The rules of the model that a value breaks; empty if it is valid.
    func failures(of value: SlotValue) -> [ValidationFailure] {
        PropertyValidator.failures(of: value, in: self)
    }

    /// Whether null is no valid value of this attribute or to-one relationship.
    ///
    /// Derived attributes and fetched properties have no value of their own, and a to-many
    /// relationship is never null.
    var isRequired: Bool {
        !isOptional && !isToMany && !(property is NSFetchedPropertyDescription)
            && !(property is NSDerivedAttributeDescription)
    }

    /// Whether a save must look at the property at all.
    var needsValidation: Bool {
        if isRequired || !rules.isEmpty || hasValidationPredicates { return true }
        if isRelationship { return isToMany && (minCount > 0 || maxCount > 1) }
        return valueKind == .date
    }
}
