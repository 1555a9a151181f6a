/// Related objects read along with a fetch.
extension NSManagedObjectContext {
    /// Reads what key paths of relationships lead to from objects.
    ///
    /// - Complexity: One statement for each step of a key path, two if it is to-many; entities and
    ///   stores apart.
    func prefetch(_ keyPaths: [String], of objects: [NSManagedObject]) throws {
        var paths = Set<[Substring]>()
        for keyPath in keyPaths.sorted() {
            let keys = keyPath.split(separator: ".")
            guard !keys.isEmpty else { continue }
            var level = objects
            for end in keys.indices {
                let path = Array(keys[...end])
                // Key paths that begin alike read what they have in common once.
                let isNew = paths.insert(path).inserted
                level = try prefetch(String(keys[end]), of: level, reading: isNew)
            }
        }
    }

    /// The objects that one relationship leads to.
    private func prefetch(
        _ key: String,
        of objects: [NSManagedObject],
        reading: Bool
    ) throws -> [NSManagedObject] {
        var groups: [ObjectIdentifier: [NSManagedObject]] = [:]
        // As the groups first appear: the dictionary's own order differs from run to run.
        var order: [ObjectRegistry] = []
        for object in objects where object.primaryKey > 0 && !object.flags.contains(.gone) {
            let identifier = ObjectIdentifier(object.registry)
            if groups[identifier] == nil { order.append(object.registry) }
            groups[identifier, default: []].append(object)
        }
        var related: [NSManagedObject] = []
        for registry in order {
            guard let store = registry.store else { continue }
            guard let slot = registry.layout.slot(named: key), slot.isRelationship,
                slot.kind != .volatile
            else {
                throw QueryError.unknownKey(key, entity: registry.layout.name)
            }
            let owners = groups[ObjectIdentifier(registry)] ?? []
            if reading {
                if slot.isToMany {
                    try prefetchToMany(slot, of: owners, registry.layout, in: store)
                } else {
                    try prefetchToOne(slot, of: owners, in: store)
                }
            }
            for owner in owners {
                if slot.isToMany {
                    related += owner.toMany(slot.index).objects ?? []
                } else if let object = owner.overlay?.box(slot.index).content as? NSManagedObject {
                    related.append(object)
                }
            }
        }
        // Owners share related objects, each of which the next key of the path looks at once.
        var seen = Set<ObjectIdentifier>()
        return related.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    private func prefetchToOne(
        _ slot: PropertySlot,
        of owners: [NSManagedObject],
        in store: any RowStore
    ) throws {
        var references: [RowReference] = []
        var missing: [(owner: NSManagedObject, reference: RowReference)] = []
        for owner in owners where owner.overlay?.box(slot.index).found != true {
            if owner.row == nil { owner.fireIfFault() }
            guard let reference = owner.row?.reference(slot.index) else { continue }
            references.append(reference)
            missing.append((owner, reference))
        }
        let objects = try objects(references, slot, in: store)
        for (owner, reference) in missing {
            // The owner stays a fault: it holds what nothing else might hold.
            if let object = objects[reference] { owner.ensureOverlay().setBox(slot.index, object) }
        }
    }

    private func prefetchToMany(
        _ slot: PropertySlot,
        of owners: [NSManagedObject],
        _ layout: EntityLayout,
        in store: any RowStore
    ) throws {
        let unread = owners.filter { !$0.toMany(slot.index).isLoaded }
        guard !unread.isEmpty else { return }
        let content = try store.related(layout, slot, of: unread.map(\.primaryKey))
        let objects = try objects(content.values.flatMap(\.self), slot, in: store)
        for owner in unread {
            let members = content[owner.primaryKey] ?? []
            owner.load(slot.index, members.compactMap { objects[$0] })
        }
    }

    /// Objects with their rows, in one statement for those that have none yet.
    private func objects(
        _ references: [RowReference],
        _ slot: PropertySlot,
        in store: any RowStore
    ) throws -> [RowReference: NSManagedObject] {
        var result: [RowReference: NSManagedObject] = [:]
        var keys: [Int64] = []
        for reference in references where result[reference] == nil {
            let object = object(reference, in: store)
            result[reference] = object
            if object.row == nil, object.flags.contains(.fault) {
                keys.append(reference.primaryKey)
            }
        }
        guard !keys.isEmpty else { return result }
        var plan = FetchPlan(layout: coordinator.modelLayout.entities[slot.destinationIndex])
        plan.primaryKeys = keys
        // This hands each row to its fault.
        for row in try store.rows(plan) { _ = object(row, in: store) }
        return result
    }
}
