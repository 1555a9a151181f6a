/// The registries of one store.
struct StoreRegistries {
    let store: any RowStore
    let identity: StoreIdentity
    /// By entity index; made on demand.
    var registries: [ObjectRegistry?]
    /// By root index; made on demand.
    var identityMaps: [IdentityMap?]
}

/// The identity map: one object for a row.
extension NSManagedObjectContext {
    /// All registries that were made.
    var allRegistries: [ObjectRegistry] {
        Array(registries.values) + storeRegistries.flatMap { $0.registries.compactMap(\.self) }
    }

    /// The registry for new objects of an entity.
    func registry(forNew entity: NSEntityDescription) -> ObjectRegistry {
        if let known = registries[ObjectIdentifier(entity)] { return known }
        let registry = ObjectRegistry(
            context: self,
            layout: layout(of: entity),
            store: nil,
            storeIdentity: nil,
            identityMap: IdentityMap()
        )
        registries[ObjectIdentifier(entity)] = registry
        return registry
    }

    /// The compiled form of an entity in the coordinator's model.
    func layout(of entity: NSEntityDescription) -> EntityLayout {
        guard let layout = coordinator.modelLayout[entity] else {
            fatalError(
                "The entity \(entity.name ?? "") is not in the model of the context's coordinator."
            )
        }
        return layout
    }

    /// The registry for rows of an entity in a store.
    @inline(__always) func registry(_ entityIndex: Int, in store: any RowStore) -> ObjectRegistry {
        // A search along a few entries. This is inlined into loops over rows, so that what makes a
        // registry stands in functions of its own.
        for index in storeRegistries.indices where storeRegistries[index].store === store {
            if let known = storeRegistries[index].registries[entityIndex] { return known }
            return makeRegistry(entityIndex, at: index)
        }
        return makeStoreRegistries(entityIndex, store)
    }

    @inline(never) private func makeStoreRegistries(
        _ entityIndex: Int,
        _ store: any RowStore
    ) -> ObjectRegistry {
        let count = coordinator.modelLayout.entities.count
        storeRegistries.append(
            StoreRegistries(
                store: store,
                identity: store.identity,
                registries: Array(repeating: nil, count: count),
                identityMaps: Array(repeating: nil, count: count)
            )
        )
        return makeRegistry(entityIndex, at: storeRegistries.count - 1)
    }

    @inline(never) private func makeRegistry(_ entityIndex: Int, at index: Int) -> ObjectRegistry {
        let layout = coordinator.modelLayout.entities[entityIndex]
        // One map for the whole tree: its keys come from one sequence, and which entity a row is of
        // need not be known to find it.
        let map = storeRegistries[index].identityMaps[layout.rootIndex] ?? IdentityMap()
        storeRegistries[index].identityMaps[layout.rootIndex] = map
        let registry = ObjectRegistry(
            context: self,
            layout: layout,
            store: storeRegistries[index].store,
            storeIdentity: storeRegistries[index].identity,
            identityMap: map
        )
        storeRegistries[index].registries[entityIndex] = registry
        return registry
    }

    /// The object for a reference, a fault if it is new here.
    @inline(__always) func object(
        _ reference: RowReference,
        in store: any RowStore
    ) -> NSManagedObject {
        let reference = current(reference)
        if reference.primaryKey < 0, let unsaved = unsavedObject(reference) { return unsaved }
        return retained(registry(reference.entityIndex, in: store).object(reference.primaryKey))
    }

    /// The object for a row that was read; a fault with the row at hand if it is new here.
    @inline(__always) func object(_ row: Row, in store: any RowStore) -> NSManagedObject {
        object(row, registry(row.entityIndex, in: store))
    }

    /// The same, with the registry of the row's entity at hand.
    @inline(__always) func object(_ row: Row, _ registry: ObjectRegistry) -> NSManagedObject {
        // A parent's row may have been read before its key became permanent.
        let key = row.primaryKey < 0 ? current(row.reference).primaryKey : row.primaryKey
        if let known = registry.known(key) {
            showFetched(row, known)
            return known
        }
        return retained(
            registry.makeFault(registry.isNested ? registry.latestKey(key) : key, row: row)
        )
    }

    /// Gives a registered object a row that was read, if it shows none.
    @inline(__always) private func showFetched(_ row: Row, _ known: NSManagedObject) {
        // Never back to an older row: fetches and merges may overtake each other.
        if known.row == nil || known.flags.contains(.fault), !known.flags.contains(.gone),
            row.version >= known.row?.version ?? 0
        {
            known.row = row
        }
    }

    /// Appends the objects for rows of a store, those that are new here as faults with the row at hand.
    func append(_ rows: [Row], in store: any RowStore, to objects: inout [NSManagedObject]) {
        var start = 0
        while start < rows.count {
            let registry = registry(rows[start].entityIndex, in: store)
            var end = start + 1
            while end < rows.count, rows[end].entityIndex == registry.layout.index { end += 1 }
            append(rows[start..<end], registry, to: &objects)
            start = end
        }
    }

    /// The same for rows of one entity.
    private func append(
        _ rows: ArraySlice<Row>,
        _ registry: ObjectRegistry,
        to objects: inout [NSManagedObject]
    ) {
        if !retainsRegisteredObjects, registry.append(rows, to: &objects, show: showFetched) {
            return
        }
        for row in rows { objects.append(object(row, registry)) }
    }

    /// Keeps the registered objects alive, or does so no longer, as `retainsRegisteredObjects` says.
    func retainRegisteredObjects() {
        retainedObjects = [:]
        guard retainsRegisteredObjects else { return }
        for object in baseRegisteredObjects { retainedObjects[ObjectIdentifier(object)] = object }
    }

    @inline(__always) func retained(_ object: NSManagedObject) -> NSManagedObject {
        if retainsRegisteredObjects { retainedObjects[ObjectIdentifier(object)] = object }
        return object
    }

    func objectID(_ reference: RowReference, in store: StoreIdentity?) -> NSManagedObjectID {
        NSManagedObjectID(
            layout: coordinator.modelLayout.entities[reference.entityIndex],
            storeIdentity: store,
            primaryKey: reference.primaryKey
        )
    }

    /// Leaves all objects without context, for they may outlive it. They lose what they hold of
    /// each other: both ends of a relationship do, and nothing else would end such a circle.
    func detachRegistries() {
        // Registries refer to the context without holding or watching it: all of them must
        // let go before it ends.
        for registry in allRegistries { registry.context = nil }
        for map in storeRegistries.flatMap(\.identityMaps) + removedObjects {
            for object in map?.objects ?? [] { object.breakRelationships() }
        }
        registries = [:]
        latestNew = nil
        storeRegistries = []
        removedObjects = []
    }

    /// `registeredObjects`.
    var baseRegisteredObjects: Set<NSManagedObject> {
        // Objects of no store are in no map of a store, but the list holds them.
        var result = Set(insertedList.filter { $0.flags.contains(.inserted) })
        for store in storeRegistries {
            for map in store.identityMaps {
                if let map { result.formUnion(map.objects) }
            }
        }
        return result
    }
}
