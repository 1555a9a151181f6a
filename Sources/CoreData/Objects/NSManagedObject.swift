import CSwiftRuntime
import Foundation

/// An object of a context: one row of a store, with the changes that the context has made.
///
/// In one context there is at most one object for a row. An object is a *fault* until one of its
/// values is read; reading then gets the row, from the row cache if it is there.
///
/// > Threading: Confined to its context's queue, but for `objectID`. Pass the ID, and get the
/// > object of the other context with `object(with:)`.
open class NSManagedObject: NSObject {
    // What clients may override stands in this file, for Swift dispatches nothing dynamically that
    // an extension declares.

    // Counted by hand, as the row and the overlay below: getters and setters look at them, and would
    // count the references of each for every value.
    final var heldRegistry: Unmanaged<ObjectRegistry>
    /// The row's primary key; negative until the object has a permanent ID.
    final var primaryKey: Int64
    final var heldRow: Unmanaged<Row>?
    final var heldOverlay: Unmanaged<Overlay>?
    final var flags: ObjectFlags = []

    /// Makes an object and inserts it into a context.
    ///
    /// Called on a class above the entity's, as in `NSManagedObject(entity: person, insertInto: context)`,
    /// it makes an object of the entity's class, whose initializers do not run; if that class has stored
    /// properties, an object of the class that it was called on, and standard error tells so.
    ///
    /// Override it in subclasses only to call through; to set up a new object, override
    /// `awakeFromInsert()`.
    ///
    /// - Parameters:
    ///   - entity: The object's entity; it must be in the model of the context's coordinator.
    ///   - context: The context; nil for an object that is inserted later, or never.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        // Objects that the context makes come through here, too, so that overrides of this
        // initializer run for them; the arguments have no room for a registry and a key.
        if let handover = ManagedObjectClass.Handover.take() {
            heldRegistry = .passRetained(handover.registry)
            primaryKey = handover.primaryKey
            super.init()
            return
        }
        require(
            !entity.isAbstract,
            "Cannot create an object of the abstract entity \(entity.name ?? "")."
        )
        primaryKey = TemporaryKey.next()
        if let context {
            context.checkQueue("init(entity:insertInto:)")
            heldRegistry = .passRetained(context.registry(forNew: entity))
            super.init()
            takeClassOfEntity()
            // Defaults come first: `adopt` calls `awakeFromInsert()`, which finds them and may
            // replace them.
            takeDefaults()
            context.adopt(self)
        } else {
            guard let layout = entity.managedObjectModel.layout[entity] else {
                fatalError("The entity \(entity.name ?? "") is not in its model.")
            }
            heldRegistry = .passRetained(ObjectRegistry(detached: layout))
            super.init()
            takeClassOfEntity()
            // A detached object has defaults too: `insert(_:)` may take it into a context later,
            // and calls `awakeFromInsert()` then.
            takeDefaults()
        }
    }

    /// Makes an object that is in no context, of the class's entity in the model used last; of an
    /// entity without properties if there is none. Standard error tells so.
    ///
    /// Apple's framework makes an object without an entity here, which is good for nothing. Use
    /// `init(context:)` or `init(entity:insertInto:)`.
    override public convenience init() {
        self.init(entity: Self.entityForObjectWithoutContext(), insertInto: nil)
    }

    /// What `ManagedObjectClass` calls with the dynamic class.
    convenience init(materializing entity: NSEntityDescription) {
        self.init(entity: entity, insertInto: nil)
    }

    deinit {
        defer {
            // Last of all: what follows asks the registry for the map and the watching store.
            heldRow?.release()
            heldRegistry.release()
        }
        // The map holds plain words, which must not outlive the memory. Whoever looks the key up
        // until then finds nothing: the object can no longer be retained.
        heldRegistry._withUnsafeGuaranteedRef { $0.identityMap.remove(primaryKey, self) }
        if flags.contains(.announced) { registry.withdraw(self) }
        if flags.contains(.observed) { removeObservers() }
        guard let heldOverlay else { return }
        // No variable may hold the boxes: it would be what lets go of them, at the end of this.
        if hasBoxes {
            DeferredRelease.release(Unmanaged<AnyObject>.fromOpaque(heldOverlay.toOpaque()))
        } else {
            heldOverlay.release()
        }
    }

    /// What sets find the object by. Apple's page says that subclasses must not override it.
    // What Foundation's gives is hashed itself: each member of a notification's sets would be hashed twice.
    override open var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    final func takeDefaults() {
        let overlay = Overlay.make(
            room: layout.defaultValues.count,
            in: registry.overlayAllocator
        )
        overlay.setValues(layout.defaultValues, arePlain: layout.hasPlainDefaults)
        overlay.present = layout.insertedSlots
        // All attributes count as changed, for a new object has no row that the others could come
        // from.
        overlay.changed = layout.insertedSlots
        for box in layout.defaultBoxes { overlay.setBox(box.slot, box.content) }
        self.overlay = overlay
    }

    /// What the objects of this entity, store and context share.
    @inline(__always) final var registry: ObjectRegistry {
        get { heldRegistry.takeUnretainedValue() }
        set {
            let old = heldRegistry
            heldRegistry = .passRetained(newValue)
            old.release()
        }
    }
    /// The row as the context last read or saved it.
    @inline(__always) final var row: Row? {
        get { heldRow?.takeUnretainedValue() }
        set {
            let old = heldRow
            heldRow = newValue.map { .passRetained($0) }
            old?.release()
        }
    }
    /// Whether the object has boxes beside its row, which few have.
    @inline(__always) final var hasBoxes: Bool {
        heldOverlay?._withUnsafeGuaranteedRef { !$0.boxes.isEmpty } ?? false
    }
    /// What the object has beside its row; nil if nothing.
    @inline(__always) final var overlay: Overlay? {
        get { heldOverlay?.takeUnretainedValue() }
        set {
            let old = heldOverlay
            heldOverlay = newValue.map { .passRetained($0) }
            old?.release()
        }
    }
    /// Whether a row is the very one that the object has.
    @inline(__always) final func shows(_ row: Row) -> Bool {
        heldRow?.toOpaque() == Unmanaged.passUnretained(row).toOpaque()
    }
    /// Has the processor's cache fetch the object's row.
    @inline(__always) final func bringRowNear() {
        if let heldRow { runtime_prefetchForWriting(heldRow.toOpaque()) }
    }
    /// Has the processor's cache fetch the object's first values. Another processor has written those
    /// of a save that is merged.
    @inline(__always) final func bringValuesNear() {
        if let heldRow { runtime_prefetch(heldRow.toOpaque() + Row.firstValuesOffset) }
    }
    /// Whether the object is one of a registry.
    @inline(__always) final func isOf(_ registry: ObjectRegistry) -> Bool {
        heldRegistry.toOpaque() == Unmanaged.passUnretained(registry).toOpaque()
    }
    @inline(__always) final var layout: EntityLayout { registry.layout }

    // MARK: Identity

    /// The context that the object is in; nil once the context was released or reset, or has saved
    /// the object's deletion.
    open var managedObjectContext: NSManagedObjectContext? {
        // The registry keeps its context after a saved deletion: an undo inserts the object there.
        flags.contains(.detached) ? nil : registry.context
    }
    /// The object's entity.
    open var entity: NSEntityDescription { layout.entity }
    /// What identifies the object in other contexts. Temporary until the object is saved.
    open var objectID: NSManagedObjectID {
        // A child context knows a store for objects that only its parent has, too. Their keys are
        // negative, and an ID with such a key names no store.
        NSManagedObjectID(
            layout: layout,
            storeIdentity: primaryKey > 0 ? registry.storeIdentity : nil,
            primaryKey: primaryKey
        )
    }

    // MARK: State

    /// Whether the next save inserts the object.
    open var isInserted: Bool {
        checkQueue("isInserted")
        return flags.contains(.inserted)
    }
    /// Whether the next save updates the object.
    open var isUpdated: Bool {
        checkQueue("isUpdated")
        return flags.contains(.updated)
    }
    /// Whether the next save deletes the object; false again after it.
    open var isDeleted: Bool {
        checkQueue("isDeleted")
        return flags.contains(.deleted)
    }
    /// Whether the object is inserted, updated or deleted.
    open var hasChanges: Bool {
        checkQueue("hasChanges")
        return !flags.isDisjoint(with: .anyChange)
    }
    /// Whether no value has been read yet. Asking does not fire the fault.
    open var isFault: Bool {
        checkQueue("isFault")
        return flags.contains(.fault)
    }
    /// 0 for an object with values; another number for a fault.
    open var faultingState: Int {
        checkQueue("faultingState")
        return flags.contains(.fault) ? 1 : 0
    }
    /// Whether changes that are not saved yet differ from what was last read or saved.
    open var hasPersistentChangedValues: Bool {
        checkQueue("hasPersistentChangedValues")
        guard let overlay else { return false }
        return overlay.changed.members.contains { slot in
            layout.slots[slot].kind != .volatile && !overlay.quiet.contains(slot)
                && differsFromRow(slot)
        }
    }

    // MARK: Entities, see NSManagedObject+Entity

    /// Whether properties that the model lacks count as changes. Never.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// A request for the objects of the class's entity.
    // Disfavored, so that the request of the class's own type, which Xcode writes for each class, is
    // meant where no type is given.
    @_disfavoredOverload
    @discardableResult
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        baseFetchRequest()
    }

    /// The entity whose objects are of this class; one without a name if no model in use names it,
    /// which is told on standard error.
    @discardableResult
    open class func entity() -> NSEntityDescription { baseEntity() }

    // MARK: Changes, see NSManagedObject+Changes

    /// The properties set since the last fetch or save, with their present values. What only
    /// `setPrimitiveValue(_:forKey:)` has set is not among them.
    @discardableResult
    open func changedValues() -> [String: Any] {
        checkQueue("changedValues()")
        return baseChangedValues()
    }

    /// The persistent properties set since the context last posted its objects-did-change notification,
    /// with the values that they had before; `NSNull` for nil. Observers of that notification are given
    /// those that it is about.
    ///
    /// Of a new object what was before is the default value; of a relationship to many it is what was
    /// last fetched or saved, also if earlier events have changed it since.
    @discardableResult
    open func changedValuesForCurrentEvent() -> [String: Any] {
        checkQueue("changedValuesForCurrentEvent()")
        return baseChangedValuesForCurrentEvent()
    }

    /// The values that were last fetched or saved; `NSNull` for nil. Relationships to many are
    /// left out. Empty for an object that was never saved.
    ///
    /// - Parameter keys: The properties asked for; nil for all.
    @discardableResult
    open func committedValues(forKeys keys: [String]?) -> [String: Any] {
        checkQueue("committedValues(forKeys:)")
        return baseCommittedValues(forKeys: keys)
    }

    // MARK: Relationships, see NSManagedObject+Relationships

    /// Whether the relationship's objects have not been read yet. Does not fire faults.
    @discardableResult
    open func hasFault(forRelationshipNamed key: String) -> Bool {
        checkQueue("hasFault(forRelationshipNamed:)")
        return baseHasFault(forRelationshipNamed: key)
    }

    /// The IDs of a relationship's objects.
    ///
    /// Where the context has no unsaved changes, a to-many relationship that is a fault stays one,
    /// and no objects are made.
    @discardableResult
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        checkQueue("objectIDs(forRelationshipNamed:)")
        return baseObjectIDs(forRelationshipNamed: key)
    }

    // MARK: Life cycle, for subclasses

    /// Called once after the object was inserted for the first time. Override it to set values;
    /// call super first.
    open func awakeFromInsert() {}
    /// Called after a fault was fired. Changes to relationships made here go unnoticed by their
    /// inverse.
    open func awakeFromFetch() {}
    /// Called after the object's values were replaced as a whole: by undo, redo, a roll-back, a
    /// refresh or a merge. Override it to bring derived values up to date; call super first.
    /// Values set here are no changes.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
    /// Called before the object is saved; values may be changed, which makes it be called again.
    /// Compare before setting.
    open func willSave() {}
    /// Called after the object was saved.
    open func didSave() {}
    /// Called when the object is about to be deleted, before delete rules are applied.
    open func prepareForDeletion() {}
    /// Called before the object becomes a fault.
    open func willTurnIntoFault() {}
    /// Called after the object became a fault.
    open func didTurnIntoFault() {}

    // MARK: Key-value access

    /// The value of a property: numbers as `NSNumber`, to-many relationships as `NSSet` or
    /// `NSOrderedSet`, the rest as Foundation's value types and managed objects.
    ///
    /// A property that the class has in Swift comes first, if the build plugin `ManagedAccessors`
    /// has seen it. A key that neither has goes to `value(forUndefinedKey:)`.
    @discardableResult
    open func value(forKey key: String) -> Any? {
        checkQueue("value(forKey:)")
        if let property = keyedGetter(key) { return value(by: property) }
        if let slot = layout.slotsByName[key] { return anyValue(slot) }
        switch key {
        case "objectID": return objectID
        case "self": return self
        default: return value(forUndefinedKey: key)
        }
    }

    /// Sets a property. Numbers of all types are taken for numeric attributes, any collection of
    /// managed objects for to-many relationships; the inverse of a relationship is changed with it.
    ///
    /// A property that the class has in Swift comes first, as for `value(forKey:)`. A value of
    /// another type stops the program, as on Apple's platforms.
    open func setValue(_ value: Any?, forKey key: String) {
        checkQueue("setValue(_:forKey:)")
        if let property = keyedSetter(key), !isForModel(value, property) {
            setValue(value, by: property)
        } else if let slot = layout.slotsByName[key] {
            setAnyValue(value, slot)
        } else if let name = nameBySetter(key) {
            setValue(value, forKey: name)
        } else {
            setValue(value, forUndefinedKey: key)
        }
    }

    /// Called for a key that the entity lacks. Stops the program unless overridden.
    @discardableResult
    open func value(forUndefinedKey key: String) -> Any? {
        // A probe is of a client's class, but its entity has no properties: each key ends up here.
        if KeyPathProbe.isProbe(self) { return KeyPathProbe.note(key, of: self) }
        fatalError(UndefinedKey.message(key, of: self))
    }

    /// Called for a key that the entity lacks. Stops the program unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        // Initializers and getters of the client's class run on a probe, and may set values.
        if KeyPathProbe.isProbe(self) { return }
        fatalError(UndefinedKey.message(key, of: self))
    }

    /// A property's value, for custom accessors. The same as `value(forKey:)` where that is not
    /// overridden, and the class has no property in Swift for the key.
    @discardableResult
    open func primitiveValue(forKey key: String) -> Any? {
        if KeyPathProbe.isProbe(self) { return KeyPathProbe.note(key, of: self) }
        checkQueue("primitiveValue(forKey:)")
        return anyValue(requiredSlot(key).index)
    }

    /// Sets a property's value, for custom accessors between `willChangeValue(forKey:)` and
    /// `didChangeValue(forKey:)`, which note the change and set the inverse of a relationship.
    ///
    /// Without these a value is set quietly: it goes into the next save of the object, but is not
    /// what makes the object need one, and other objects don't learn of it.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        if KeyPathProbe.isProbe(self) { return }
        checkQueue("setPrimitiveValue(_:forKey:)")
        setPrimitive(value, requiredSlot(key).index)
    }

    /// Fires the fault, so that a custom accessor finds the value.
    open func willAccessValue(forKey key: String?) {
        checkQueue("willAccessValue(forKey:)")
        fireIfFault()
    }
    /// The end of what `willAccessValue(forKey:)` began.
    open func didAccessValue(forKey key: String?) {}
    /// Announces a change made with `setPrimitiveValue(_:forKey:)`.
    open func willChangeValue(forKey key: String) {
        checkQueue("willChangeValue(forKey:)")
        noteIfUnread()
        fireIfFault()
        if let slot = layout.slotsByName[key] { beginChange(slot) }
        tellObserversBefore(key)
    }
    /// The end of a change; the property counts as changed, and a relationship's inverse is set.
    open func didChangeValue(forKey key: String) {
        checkQueue("didChangeValue(forKey:)")
        if let slot = layout.slotsByName[key] {
            noteChange(slot)
            endChange(slot)
        }
        // Observers come last: they may look at the relationship's other end.
        tellObserversAfter(key)
    }
    /// Announces a change of a to-many relationship made with `setPrimitiveValue(_:forKey:)`.
    open func willChangeValue(
        forKey inKey: String,
        withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        willChangeValue(forKey: inKey)
    }
    /// The end of a change of a to-many relationship.
    open func didChangeValue(
        forKey inKey: String,
        withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        didChangeValue(forKey: inKey)
    }

    // MARK: Observing

    /// The key paths of the properties that the value for a key is made of. Override it for
    /// computed properties, whose observers are then told of changes of those.
    ///
    /// Here it is what the class's `keyPathsForValuesAffecting<Key>` says, if it has that.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        KeyedPropertyTable.table(of: self)?.dependencies[key]?.member(self) ?? []
    }
    /// Whether key-value access tells observers of a key. False: the object itself tells them, and
    /// overrides are not asked.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }

    // MARK: Validation

    /// Checks one value against the model, and by the class's `validate<Key>(_:)`, if it has that.
    /// Override it for rules of your own; call super for what you don't check.
    ///
    /// `validateForInsert()` and `validateForUpdate()` call it for each attribute and each
    /// relationship that matters; a save sets the value that an override puts in place of the old
    /// one, and checks again until nothing changes any more.
    ///
    /// - Throws: As `validateForInsert()`.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        checkQueue("validateValue(_:forKey:)")
        // The model's rules come first, so that the class's validator sees only values that they
        // allow.
        try checkValue(value, requiredSlot(key))
        try callValidator(&value, forKey: key)
    }

    /// The same, with Apple's signature. A save calls an override of it in classes that the plugin
    /// `ManagedAccessors` builds.
    ///
    /// - Throws: As `validateForInsert()`.
    open func validateValue(
        _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>,
        forKey key: String
    ) throws {
        var checked: Any? = value.pointee
        try validateValue(&checked, forKey: key)
        value.pointee = checked as AnyObject?
    }

    /// Checks the object before it is inserted in the store. Overrides call super first and add
    /// their errors.
    ///
    /// - Throws: The error of the property that breaks a rule of the model; for several
    ///   `NSValidationMultipleErrorsError`, with the list under `NSDetailedErrorsKey`.
    open func validateForInsert() throws {
        checkQueue("validateForInsert()")
        try checkProperties()
    }
    /// Checks the object before it is updated in the store. Overrides call super first and add
    /// their errors.
    ///
    /// - Throws: As `validateForInsert()`.
    open func validateForUpdate() throws {
        checkQueue("validateForUpdate()")
        try checkProperties()
    }
    /// Checks the object before it is deleted from the store. Overrides call super first.
    ///
    /// - Throws: `NSValidationRelationshipDeniedDeleteError` if a relationship with a deny rule
    ///   still has objects.
    open func validateForDelete() throws {
        checkQueue("validateForDelete()")
        try checkDeletion()
    }

    // MARK: Overrides

    open override var description: String {
        // Printing an object, for a log or in a debugger, must not fire its fault.
        let state = flags.contains(.fault) ? "<fault>" : "\(attributeDescriptions)"
        return "<\(type(of: self)): \(Unmanaged.passUnretained(self).toOpaque())> "
            + "(entity: \(layout.name); id: \(objectID.description); data: \(state))"
    }

    private var attributeDescriptions: [String: String] {
        var result: [String: String] = [:]
        for slot in layout.attributeSlots {
            result[layout.slots[slot].name] = "\(PrintableValue.of(anyValue(slot)) ?? "nil")"
        }
        return result
    }
}
