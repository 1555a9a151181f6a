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

    /// Forgets an object, if it is still the one for its key.
    @inline(__always) func remove(_ primaryKey: Int64, _ object: NSManagedObject) {
        words.withLock { words in
            // A new object may have taken the key since the last reference to this one went: it
            // must not be thrown out by its predecessor's end.
            if words[primaryKey] == WeakWord.word(object) { words.set(primaryKey, 0) }
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
        didSet { if context == nil { undoJournal = nil } }
    }
    /// The context's journal. Every setter asks for it, and a context is expensive to retain: it
    /// has weak references.
    var undoJournal: UndoJournal?
    let layout: EntityLayout
    /// nil for objects that were never saved.
    let store: (any RowStore)?
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
        undoJournal = context?.undoJournal
        self.layout = layout
        self.store = store
        self.storeIdentity = storeIdentity
        self.identityMap = identityMap
        // Looked up once, and kept: each fault that is made asks for it.
        objectClass = ManagedObjectClass.resolve(layout)
        keyedProperties = KeyedPropertyTable.table(of: objectClass)
        watcher = store?.coordinatorStore as? any RegistrationWatching
        isNested = store is ParentStore
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
        let object = ManagedObjectClass.make(self, primaryKey)
        object.flags = .fault
        object.row = row
        identityMap.set(primaryKey, object)
        if watcher != nil { announce(object) }
        return object
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
