import Foundation

/// Values that clients give to batch requests, in storage form.
enum BatchValues {
    /// The attribute or to-one relationship of a name.
    static func slot(_ name: String, _ layout: EntityLayout) throws -> PropertySlot {
        guard let slot = layout.slot(named: name) else {
            throw CocoaError.coreData(
                "The entity \(layout.name) has no property \"\(name)\"; check the keys of the batch "
                    + "request."
            )
        }
        guard slot.kind.isInRow else {
            throw CocoaError.coreData(
                "\(layout.name).\(name) is not kept in the entity's rows: a batch request sets "
                    + "attributes that are not transient, and to-one relationships."
            )
        }
        return slot
    }

    /// A value in storage form.
    static func value(
        _ value: Any,
        _ slot: PropertySlot,
        _ layout: EntityLayout,
        _ store: any RowStore
    ) throws -> SlotValue {
        if value is NSNull { return .null }
        if slot.kind == .toOne {
            guard let row = value as? any StoredRowIdentifiable, row.rowStore != nil,
                let reference = row.rowReference(in: store), reference.primaryKey > 0
            else {
                throw CocoaError.coreData(
                    "The value for the relationship \(layout.name).\(slot.name) is no ID of a saved "
                        + "object in the same store."
                )
            }
            guard
                (slot.destinationIndex...slot.destinationLastIndex)
                    .contains(reference.entityIndex)
            else { throw typeMismatch(value, slot, layout) }
            return .reference(reference)
        }
        guard let converted = slot.kind.slotValue(value) else {
            throw typeMismatch(value, slot, layout)
        }
        // No object will archive it on its way to the row.
        if let content = converted.boxed {
            return .bytes(try TransformableValue.archive(content, slot.property))
        }
        if slot.kind.rangeFailure(of: converted) != nil { throw outOfRange(slot, layout) }
        return converted
    }

    /// A value of a batch update.
    static func updateValue(
        _ value: Any,
        _ slot: PropertySlot,
        _ layout: EntityLayout,
        _ store: any RowStore
    ) throws -> BatchUpdate.Value {
        guard let expression = value as? NSExpression else {
            return .constant(try self.value(value, slot, layout, store))
        }
        // A constant is checked like a plain value: SQL would take one of any type.
        guard expression.expressionType == .constantValue else { return .expression(expression) }
        let constant = expression.constantValue ?? NSNull()
        return .constant(try self.value(constant, slot, layout, store))
    }

    /// Refuses the numbers of an object that its attributes can't hold.
    static func checkRanges(of object: NSManagedObject) throws {
        // The setter has noted it, so that a row without such a number costs one test.
        guard object.flags.contains(.outOfRange) else { return }
        for slot in object.layout.attributeSlots.map({ object.layout.slots[$0] })
        where slot.kind.rangeFailure(of: object.slotValue(slot.index)) != nil {
            throw outOfRange(slot, object.layout)
        }
    }

    private static func outOfRange(_ slot: PropertySlot, _ layout: EntityLayout) -> CocoaError {
        guard let range = slot.kind.integerRange else {
            return CocoaError.coreData(
                "A value for \(layout.name).\(slot.name) is not a number, which no store keeps: give "
                    + "a number, or nil."
            )
        }
        return CocoaError.coreData(
            "A number for \(layout.name).\(slot.name) is outside of the range of its type: give whole "
                + "numbers from \(range.lowerBound) to \(range.upperBound)."
        )
    }

    private static func typeMismatch(
        _ value: Any,
        _ slot: PropertySlot,
        _ layout: EntityLayout
    ) -> CocoaError {
        CocoaError.coreData(
            "A value of type \(type(of: value)) can't be stored as \(layout.name).\(slot.name), which "
                + "is of the kind \(slot.kind)."
        )
    }
}
