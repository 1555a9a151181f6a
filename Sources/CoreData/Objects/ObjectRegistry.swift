/// The objects that one context knows of one inheritance tree and store, by primary key.
///
/// The map holds objects weakly. An object's last reference may go on any thread (whoever held a
/// notification, say), so the map has a lock of its own.
final class IdentityMap: Sendable {
    private let words = Locked(PagedKeyMap())

    init() { WeakWord.checked }

    @inline(__always) func object(_ primaryKey: Int64) -> NSManagedObject? {
        words.withLock { words in
            // Retained under the lock: an object that ends clears its word under the same lock
            // before its memory goes.
            let word = words[primaryKey]
            return word == 0 ? nil : WeakWord.object(word, as: NSManagedObject.self)
        }
    }

    @inline(__always) func set(_ primaryKey: Int64, _ object: NSManagedObject) {
        words.withLock { $0.set(primaryKey, WeakWord.word(object)) }
    }

    /// Lists objects by the keys that they have.
    func set(_ objects: [NSManagedObject]) {
        words.withLock { words in
            for object in objects { words.set(object.primaryKey, WeakWord.word(object)) }
        }
    }

    /// Forgets those of some objects that are listed here, by the keys that they have.
    func remove(_ objects: [NSManagedObject]) {
        words.withLock { words in
            for object in objects where words[object.primaryKey] == WeakWord.word(object) {
                words.set(object.primaryKey, 0)
            }
        }
    }

    /// Forgets an object, if it is still the one for its key.
    @inline(__always) func remove(_ primaryKey: Int64, _ object: NSManagedObject) {
        words.withLock { words in
            // A new object may have taken the key since the last reference to this one went: it
            // must not be thrown out by its predecessor's end.
            if words[primaryKey] == WeakWord.word(object) { words.set(primaryKey, 0) }
        }
    }

    /// The objects for the keys of rows, nil for those that have none and are to be listed.
    func objects(of rows: ArraySlice<Row>) -> [NSManagedObject?] {
        words.withLock { words in
            rows.map { row in
                let word = words[row.primaryKey]
                guard word != 0 else { return nil }
                let object = WeakWord.object(word, as: NSManagedObject.self)
                // It is going, and clears only its own word.
                if object == nil { words.set(row.primaryKey, 0) }
                return object
            }
        }
    }

    /// Where the rows end that begin at an index, are of one entity, which is listed here, and have
    /// no object.
    func endOfUnlisted(_ references: [RowReference], from start: Int) -> Int {
        let entity = references[start].entityIndex
        return words.withLock { words in
            references[start...].firstIndex { reference in
                // Rows of another entity may be in another map.
                words[reference.primaryKey] != 0 || reference.entityIndex != entity
            } ?? references.endIndex
        }
    }

    /// Appends the objects of rows, as long as they are of the first one's entity, which is listed here,
    /// and have objects.
    func appendListed(_ references: ArraySlice<RowReference>, to objects: inout [NSManagedObject]) {
        guard let entity = references.first?.entityIndex else { return }
        words.withLock { words in
            for reference in references {
                guard reference.entityIndex == entity,
                    case let word = words[reference.primaryKey], word != 0,
                    let object = WeakWord.object(word, as: NSManagedObject.self)
                else { return }
                objects.append(object)
            }
        }
    }

    /// Lists objects for keys that had none, and leaves those that are listed as they are.
    ///
    /// - Returns: Whether each is the one for its key; false where several have one, of which the first
    ///   is listed.
    func list(_ objects: ArraySlice<NSManagedObject>) -> Bool {
        words.withLock { words in
            var areDistinct = true
            for object in objects {
                let known = words[object.primaryKey], word = WeakWord.word(object)
                if known == 0 {
                    words.set(object.primaryKey, word)
                } else if known != word {
                    areDistinct = false
                }
            }
            return areDistinct
        }
    }

    /// The objects that are still alive, with the keys that they are found by.
    var entries: [(Int64, NSManagedObject)] {
        words.withLock { words in
            var result: [(Int64, NSManagedObject)] = []
            result.reserveCapacity(words.count)
            // Each goes into the result: the last reference to one, dropped under the lock, would
            // have its `deinit` wait for this very lock.
            words.forEach { key, word in
                if let object = WeakWord.object(word, as: NSManagedObject.self) {
                    result.append((key, object))
                }
            }
            return result
        }
    }

    /// The objects that are still alive.
    var objects: [NSManagedObject] {
        words.withLock { words in
            var result: [NSManagedObject] = []
            result.reserveCapacity(words.count)
            words.forEach { _, word in
                if let object = WeakWord.object(word, as: NSManagedObject.self) {
                    result.append(object)
                }
            }
            return result
        }
    }
}

/// A store that is told of the objects in use: an incremental one.
protocol RegistrationWatching: NSPersistentStore {
    /// Tells of objects that came into use in some context.
    func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID])
    /// Tells of objects that are no longer in use in some context.
    func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID])
}

/// What all objects of one entity, store and context share.
///
/// > Threading: Confined to the context's queue, but for `identityMap`.
final class ObjectRegistry {
    /// nil for objects without a context, and once the context was released or reset.
    // Neither weak, which costs each access, nor checked: the context sets it to nil in all
    // registries before it ends.
    unowned(unsafe) var context: NSManagedObjectContext? {
        didSet {
            contextIdentity = context.map { ObjectIdentifier($0) }
            if context == nil { undoJournal = nil }
        }
    }
    /// Which context that is: it need not be retained to ask for that.
    private(set) var contextIdentity: ObjectIdentifier?
    /// The context's journal. Every setter asks for it, and a context is expensive to retain: it
    /// has weak references.
    var undoJournal: UndoJournal?
    let layout: EntityLayout
    /// nil for objects that were never saved.
    let store: (any RowStore)?
    /// The same of the store.
    let hasStore: Bool
    let storeIdentity: StoreIdentity?
    /// Shared with the other entities of the inheritance tree.
    let identityMap: IdentityMap
    /// The class of the entity's objects.
    let objectClass: NSManagedObject.Type
    /// What key-value access finds in the class beside the model's properties; nil for none.
    let keyedProperties: KeyedPropertyTable?
    /// Told of objects that come into use and go.
    let watcher: (any RegistrationWatching)?
    /// Whether the store is one as a parent context shows it.
    let isNested: Bool
    /// The size of objects for which no client's code runs, neither in the store nor where they are
    /// made; nil for others.
    private let plainSize: Int?
    /// Whether no client's code runs where objects are read and made.
    @inline(__always) var isPlain: Bool { plainSize != nil }
    /// Memory for the overlays of new objects, which mostly come many at a time; nil for objects
    /// without a context, which come alone.
    let overlayAllocator: SlabAllocator?
    /// The layout's table of accessors as it was last looked up, which the layout keeps; nil before,
    /// and where each use of an accessor has its queue checked.
    private var accessorEntries: UnsafePointer<UInt32>?

    init(
        context: NSManagedObjectContext?,
        layout: EntityLayout,
        store: (any RowStore)?,
        storeIdentity: StoreIdentity?,
        identityMap: IdentityMap
    ) {
        self.context = context
        contextIdentity = context.map { ObjectIdentifier($0) }
        undoJournal = context?.undoJournal
        self.layout = layout
        self.store = store
        hasStore = store != nil
        self.storeIdentity = storeIdentity
        self.identityMap = identityMap
        // Looked up once, and kept: each fault that is made asks for it.
        objectClass =
            context?.ignoresEntityClasses == true
            ? NSManagedObject.self : ManagedObjectClass.resolve(layout)
        keyedProperties = KeyedPropertyTable.table(of: objectClass)
        watcher = store?.coordinatorStore as? any RegistrationWatching
        isNested = store is ParentStore
        overlayAllocator = context == nil ? nil : SlabAllocator()
        plainSize =
            watcher == nil && store?.objectStore == nil && !isNested
            ? ManagedObjectClass.plainSize(objectClass) : nil
    }

    /// For an object that is in no context.
    convenience init(detached layout: EntityLayout) {
        self.init(
            context: nil,
            layout: layout,
            store: nil,
            storeIdentity: nil,
            identityMap: IdentityMap()
        )
    }

    /// What an accessor means in the entity.
    @inline(__always) func accessorEntry(_ key: Int) -> AccessorEntry {
        // A key beyond the end is of a name that got its number after the table was made.
        if let accessorEntries, key < Int(accessorEntries[0]) {
            return AccessorEntry(rawValue: accessorEntries[key + 1])
        }
        return lookedUpAccessorEntry(key)
    }

    @inline(never) private func lookedUpAccessorEntry(_ key: Int) -> AccessorEntry {
        if ConcurrencyDebug.isOn {
            context?.checkQueue("A property's accessor")
        } else {
            accessorEntries = layout.accessors.entries(with: key, layout)
        }
        return layout.accessors.entry(key, layout)
    }

    /// A new fault that is in the identity map.
    @inline(__always) func makeFault(_ primaryKey: Int64, row: Row?) -> NSManagedObject {
        let object: NSManagedObject
        if let plainSize {
            object = ManagedObjectClass.makePlain(self, primaryKey, row, size: plainSize)
        } else {
            object = ManagedObjectClass.make(self, primaryKey)
            object.flags = .fault
            object.row = row
        }
        identityMap.set(primaryKey, object)
        if watcher != nil { announce(object) }
        return object
    }

    /// A new fault with its row at hand, of a plain class, which the caller lists.
    @inline(__always) func makeUnlisted(_ row: Row) -> NSManagedObject {
        guard let plainSize else { fatalError("Objects of \(objectClass) are made one by one.") }
        return ManagedObjectClass.makePlain(self, row.primaryKey, row, size: plainSize)
    }

    /// Appends the objects for rows, those that are new here as faults with the row at hand.
    ///
    /// - Parameter show: Called with rows of objects that are registered already.
    /// - Returns: Whether that was done; false for objects that have to be made one at a time.
    func append(
        _ rows: ArraySlice<Row>,
        to objects: inout [NSManagedObject],
        show: (Row, NSManagedObject) -> Void
    ) -> Bool {
        guard isPlain else { return false }
        let first = objects.count
        for (row, known) in zip(rows, identityMap.objects(of: rows)) {
            if let known { show(row, known) }
            objects.append(known ?? makeUnlisted(row))
        }
        if !identityMap.list(objects[first...]) {
            // Rows of a damaged table may have one key.
            for index in first..<objects.count {
                if let listed = identityMap.object(objects[index].primaryKey) {
                    objects[index] = listed
                }
            }
        }
        return true
    }

    /// Tells the store that an object of it is in use.
    func announce(_ object: NSManagedObject) {
        // A new object has no ID that the store knows: it is announced once a save has given it
        // one.
        guard let watcher, object.primaryKey > 0, object.flags.insert(.announced).inserted else {
            return
        }
        watcher.managedObjectContextDidRegisterObjects(with: [object.objectID])
    }

    /// Tells the store that an object of it is in use no more.
    func withdraw(_ object: NSManagedObject) {
        guard let watcher, object.flags.contains(.announced) else { return }
        watcher.managedObjectContextDidUnregisterObjects(with: [object.objectID])
    }

    /// The registered object for a key; nil if there is none.
    @inline(__always) func known(_ primaryKey: Int64) -> NSManagedObject? {
        // First by the key as given, which nearly always finds it: only a context beneath another
        // one meets keys that have been replaced.
        if let object = identityMap.object(primaryKey) { return object }
        return isNested ? identityMap.object(latestKey(primaryKey)) : nil
    }

    /// The registered object for a key, or a new fault.
    @inline(__always) func object(_ primaryKey: Int64) -> NSManagedObject {
        if let object = known(primaryKey) { return object }
        return makeFault(isNested ? latestKey(primaryKey) : primaryKey, row: nil)
    }

    /// What a key is now, with the objects of the context registered accordingly. A context above may
    /// have made keys permanent after this one began what it is doing: a save there ends before it
    /// answers a request from here.
    @inline(never) func latestKey(_ primaryKey: Int64) -> Int64 {
        guard let context else { return primaryKey }
        var key = primaryKey
        // Between the two questions below a save above may note another promotion. Its key must not
        // be given out before this context has registered its objects by it.
        while true {
            context.adoptPromotions()
            let reference = RowReference(entityIndex: layout.index, primaryKey: key)
            let latest = context.current(reference).primaryKey
            if latest == key { return key }
            key = latest
        }
    }
}
