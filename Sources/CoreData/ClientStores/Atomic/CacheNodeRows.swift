import Foundation

/// Makes rows of the nodes of an atomic store.
struct CacheNodeRows {
    let store: NSAtomicStore
    let model: ModelLayout

    /// The inserts that the nodes stand for, and the relationships that no row says.
    ///
    /// - Throws: 134070 for a value that the model rules out; the sentence names the property.
    func changes(for nodes: [NSAtomicStoreCacheNode]) throws -> StoreChangeSet {
        var result = StoreChangeSet()
        let owners = try self.owners(nodes)
        for node in nodes {
            let layout = try layout(of: node)
            var values = try layout.slots.map { try value($0, of: node, layout) }
            for slot in layout.toOneSlots where values[slot].isNull {
                let place = Place(slot: MemoryTables.place(layout.slots[slot]), key: key(of: node))
                // Only where the node says nothing itself: a client may fill in either end.
                if let owner = owners[place] { values[slot] = .reference(owner) }
            }
            result.inserts.append(
                Row.make(layout: layout, primaryKey: key(of: node), version: 1, values: values)
            )
            for slot in layout.toManySlots.map({ layout.slots[$0] })
            // The members of other relationships say in their own rows whom they belong to.
            where slot.isManyToMany || slot.inverseSlot < 0 || slot.isOrdered {
                let members = try members(slot, of: node)
                guard !members.isEmpty else { continue }
                result.toManyChanges.append(
                    StoreChangeSet.ToManyChange(
                        owner: reference(node, layout),
                        slot: slot.index,
                        added: slot.isManyToMany || slot.inverseSlot < 0 ? members : [],
                        removed: [],
                        order: slot.isOrdered ? members : nil
                    )
                )
            }
        }
        return result
    }

    // MARK: Attributes

    private func value(
        _ slot: PropertySlot,
        of node: NSAtomicStoreCacheNode,
        _ layout: EntityLayout
    ) throws -> SlotValue {
        guard slot.kind.isInRow else { return .null }
        let value = node.value(forKey: slot.name)
        if slot.kind == .toOne {
            return try nodes(in: value, slot).first.map {
                .reference(reference($0, try self.layout(of: $0)))
            } ?? .null
        }
        return try slot.rowValue(value, entity: layout, in: store)
    }

    // MARK: Relationships

    /// A relationship of a row, as its destination knows it.
    private struct Place: Hashable {
        let slot: DeclaredSlot
        let key: Int64
    }

    /// What to-many relationships say of the to-one at their other end, which a store may leave out.
    private func owners(_ nodes: [NSAtomicStoreCacheNode]) throws -> [Place: RowReference] {
        var result: [Place: RowReference] = [:]
        for node in nodes {
            let layout = try layout(of: node)
            for slot in layout.toManySlots.map({ layout.slots[$0] })
            where slot.inverseSlot >= 0 && !slot.isManyToMany {
                let inverse = model.entities[slot.destinationIndex].slots[slot.inverseSlot]
                for member in try members(slot, of: node) {
                    let place = Place(
                        slot: MemoryTables.place(inverse),
                        key: member.primaryKey
                    )
                    result[place] = reference(node, layout)
                }
            }
        }
        return result
    }

    private func members(
        _ slot: PropertySlot,
        of node: NSAtomicStoreCacheNode
    ) throws -> [RowReference] {
        try nodes(in: node.value(forKey: slot.name), slot).map {
            reference($0, try layout(of: $0))
        }
    }

    private func nodes(in value: Any?, _ slot: PropertySlot) throws -> [NSAtomicStoreCacheNode] {
        let content: [Any] =
            switch value {
            case nil, is NSNull: []
            case let ordered as NSOrderedSet: ordered.array
            case let set as NSSet: set.allObjects
            case let array as [Any]: array
            case let set as Set<AnyHashable>: set.map(\.base)
            case let node?: [node]
            }
        return try content.map { element in
            // A node that the store was not given would become a reference to a row that is not
            // there.
            guard let node = element as? NSAtomicStoreCacheNode,
                store.cacheNode(for: node.objectID) != nil
            else {
                throw CocoaError.storeOperation(
                    store.url,
                    "the relationship \(slot.name) of a cache node must hold cache nodes that the "
                        + "store has; hand all of them to addCacheNodes(_:)"
                )
            }
            return node
        }
    }

    // MARK: IDs

    private func layout(of node: NSAtomicStoreCacheNode) throws -> EntityLayout {
        let layout = store.layout(of: node.objectID.entity)
        guard store.holds(layout), !layout.isAbstract else {
            throw CocoaError.storeOperation(
                store.url,
                "a cache node is of the entity \(layout.name), which is abstract or not in the "
                    + "store's configuration"
            )
        }
        return layout
    }

    private func key(of node: NSAtomicStoreCacheNode) -> Int64 { node.objectID.primaryKey }

    private func reference(
        _ node: NSAtomicStoreCacheNode,
        _ layout: EntityLayout
    ) -> RowReference {
        RowReference(entityIndex: layout.index, primaryKey: key(of: node))
    }
}

extension PropertySlot {
    /// An attribute's value from a client's store, as a row keeps it.
    ///
    /// - Throws: 134070 for a value of a type that the attribute does not have.
    func rowValue(
        _ value: Any?,
        entity: EntityLayout,
        in store: NSPersistentStore
    ) throws -> SlotValue {
        switch kind.slotValue(value) {
        case .box(let box):
            // Clients' stores give transformable values as objects; a row has their archives.
            let content = (box as? ValueBox)?.value ?? box
            return .bytes(try TransformableValue.archive(content, property))
        case let converted?: return converted
        case nil:
            throw CocoaError.storeOperation(
                store.url,
                "the store gave a value of another type for \(entity.name).\(name) than the model "
                    + "has; convert it"
            )
        }
    }
}
