import Foundation

/// What key-value access comes down to: the one place where values are boxed.
extension NSManagedObject {
    /// A property's value as key-value access gives it.
    final func anyValue(_ slot: Int) -> Any? {
        checkQueue("value(forKey:)")
        let kind = kind(of: slot)
        switch kind {
        case .toOne:
            return toOneObject(slot)
        case .toMany:
            fireIfFault()
            return publicCollection(slot)
        case .transformable:
            return transformedValue(slot)
        case .volatile:
            let property = layout.slots[slot]
            if let fetched = property.property as? NSFetchedPropertyDescription {
                return fetchedObjects(fetched, slot)
            }
            if property.isToMany { return publicCollection(slot) }
            fireIfFault()
            let (found, content) = overlay?.box(slot) ?? (false, nil)
            // No store has it: it begins with its default.
            guard found else { return property.defaultValue.boxed }
            return (content as? ValueBox)?.value ?? content
        default:
            return kind.anyValue(slotValue(slot, kind))
        }
    }

    /// Sets a property; relationships change their inverse.
    final func setAnyValue(_ value: Any?, _ slot: Int) {
        let property = layout.slots[slot]
        if property.isRelationship {
            if property.isToMany {
                setToMany(slot, Self.objects(in: value, for: property))
            } else {
                setToOne(slot, Self.object(value, for: property))
            }
            return
        }
        // Generic code of a client may hand over an optional.
        let converted =
            property.kind.slotValue(value)
            ?? value.flatMap { property.kind.slotValue(flattened($0)) }
        guard let converted else {
            fatalError(
                "Unacceptable type of value for attribute: property = \"\(property.name)\"; "
                    + "desired type = \(property.kind); given type = "
                    + "\(value.map { "\(type(of: $0))" } ?? "nil"); value's entity = \(layout.name)."
            )
        }
        // Kept as it was set, until validation refuses it by name: a wrapped number would be
        // another one without a word.
        if property.kind.rangeFailure(of: converted) != nil { flags.insert(.outOfRange) }
        if case .box(let content) = converted {
            noteIfUnread()
            fireIfFault()
            change(slot) { ensureOverlay().setBox(slot, content) }
        } else if property.kind == .transformable || property.kind == .volatile {
            noteIfUnread()
            fireIfFault()
            // An empty box, not none: without one the next access would take the row's value, or
            // the default of a transient attribute.
            change(slot) { ensureOverlay().setBox(slot, nil) }
        } else {
            setSlot(slot, converted)
        }
    }

    private func publicCollection(_ slot: Int) -> AnyObject {
        let objects = toManyObjects(slot)
        let collection = toMany(slot)
        if let value = collection.publicValue { return value }
        let value: AnyObject =
            layout.slots[slot].isOrdered
            ? NSOrderedSet(array: objects) : NSSet(array: objects)
        // What the store failed to read is not kept: the next access tries again.
        if collection.isLoaded { collection.publicValue = value }
        return value
    }

    private func transformedValue(_ slot: Int) -> Any? {
        fireIfFault()
        if let (found, content) = overlay?.box(slot), found {
            return (content as? ValueBox)?.value ?? content
        }
        guard let row, !row.isNull(slot) else { return nil }
        let property = layout.slots[slot]
        let value = TransformableValue.unarchive(row.bytes(slot), property.property, of: self)
        // The same instance at each access: clients compare references, and so does undo.
        ensureOverlay().setBox(slot, value.map(ValueBox.init))
        return value
    }

    static func object(_ value: Any?, for property: PropertySlot) -> NSManagedObject? {
        // Generic code of a client may hand over an optional.
        guard let value = value.flatMap(unwrapped) else { return nil }
        guard let object = value as? NSManagedObject else {
            fatalError(
                "Unacceptable type of value for to-one relationship: property = "
                    + "\"\(property.name)\"; given type = \(type(of: value))."
            )
        }
        return object
    }

    static func objects(in value: Any?, for property: PropertySlot) -> [NSManagedObject] {
        let elements: [Any]
        switch value.flatMap(unwrapped) {
        case nil: return []
        // Views of relationships: Foundation reads the elements that a collection keeps itself, and
        // these show those of another.
        case let view as RelationshipSet: return view.content
        case let view as RelationshipOrderedSet: elements = view.content
        case let set as Set<NSManagedObject>: return Array(set)
        case let array as [NSManagedObject]: return array
        case let set as NSOrderedSet: elements = set.array
        case let set as NSSet: elements = set.allObjects
        case let array as NSArray: elements = (0..<array.count).map { array.object(at: $0) }
        case let value?:
            fatalError(
                "Unacceptable type of value for to-many relationship: property = "
                    + "\"\(property.name)\"; desired type = NSSet; given type = \(type(of: value))."
            )
        }
        return elements.compactMap { object($0, for: property) }
    }
}

extension NSManagedObject: KeyValueCoding {}

extension NSManagedObject: KeyValueSource {
    final func queryValue(for key: QueryKey) -> QueryValue? {
        checkQueue("value(forKey:)")
        if let property = keyedGetter(key.name) { return QueryValue(value(by: property)) }
        guard let slot = heldRegistry._withUnsafeGuaranteedRef({ $0.layout.slot(of: key) }) else {
            switch key.name {
            case "objectID": return .other(objectID)
            case "self", "SELF": return .object(self)
            case "entity": return .other(layout.entity)
            default: return nil
            }
        }
        let kind = kind(of: slot)
        switch kind {
        // The kinds that most predicates ask for first: a merge asks each of its objects.
        case .integer16, .integer32, .integer64, .boolean:
            return integer(slot).map { .integer($0) } ?? .null
        case .string: return text(slot).map { .text($0) } ?? .null
        case .toOne: return toOneObject(slot).map { .object($0) } ?? .null
        case .toMany: return .collection(toManyObjects(slot).map { .object($0) })
        case .transformable, .volatile: return QueryValue(anyValue(slot))
        default: return kind.queryValue(slotValue(slot, kind))
        }
    }

    final var queryIdentity: AnyHashable { AnyHashable(objectID) }
}
