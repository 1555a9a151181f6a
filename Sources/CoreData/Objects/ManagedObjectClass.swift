import Foundation

/// Finds the class of an entity's objects and makes instances of classes known only at run time.
enum ManagedObjectClass {
    /// The class that a layout's entity names; `NSManagedObject` if there is no such class in the
    /// process.
    ///
    /// For names with and without a module see `ClassByName`.
    static func resolve(_ layout: EntityLayout) -> NSManagedObject.Type {
        guard let name = layout.objectClassName, name != "NSManagedObject" else {
            return NSManagedObject.self
        }
        if let known = resolved.withLock({ $0[name] }) { return known }
        let found = ClassByName.candidates(name, as: NSManagedObject.Type.self)
        // Not remembered: the choice depends on the model, and the cache on the name alone.
        if found.count > 1 { return mostLikely(found, layout.entity.managedObjectModel) }
        // Not remembered either: an image that is loaded later may have the class.
        guard let only = found.first else { return NSManagedObject.self }
        resolved.withLock { $0[name] = only }
        return only
    }

    /// The full name of the class that an entity means by a name; the name itself if the process
    /// has no such class.
    static func fullName(_ name: String, of entity: NSEntityDescription) -> String {
        guard name != "NSManagedObject" else { return name }
        let found = ClassByName.candidates(name, as: NSManagedObject.Type.self)
        if found.count > 1, let model = entity.model {
            return NSStringFromClass(mostLikely(found, model))
        }
        guard found.count == 1 else { return name }
        let full = NSStringFromClass(found[0])
        // A private class's full name changes with each build.
        return full.contains("(") ? name : full
    }

    /// Of classes of one name the one in the module that has most of the model's classes.
    private static func mostLikely(
        _ classes: [NSManagedObject.Type],
        _ model: NSManagedObjectModel
    ) -> NSManagedObject.Type {
        var counts: [Substring: Int] = [:]
        for entity in model.entities {
            guard let name = entity.givenClassName else { continue }
            let found = ClassByName.candidates(name, as: NSManagedObject.Type.self)
            for module in Set(found.map(ClassCatalog.module)) { counts[module, default: 0] += 1 }
        }
        // Modules of one program may have classes of one name, such as tests beside an app: the
        // model's other classes tell which one is meant.
        func count(_ type: NSManagedObject.Type) -> Int {
            counts[ClassCatalog.module(of: type)] ?? 0
        }
        let most = classes.map(count).max()
        return classes.first { count($0) == most } ?? NSManagedObject.self
    }
    private static let resolved = Locked<[String: NSManagedObject.Type]>([:])

    /// A new object of a registry's class, which is in no list of its context yet.
    ///
    /// `init(entity:insertInto:)` is not `required`, for client classes override it as they do on
    /// Apple's platforms. So the registry is handed over beside the call, which has no room for it.
    @inline(__always) static func make(
        _ registry: ObjectRegistry,
        _ primaryKey: Int64
    ) -> NSManagedObject {
        make(registry, primaryKey, as: registry.objectClass)
    }

    /// The same, of a class that need not be the registry's.
    @inline(__always) static func make(
        _ registry: ObjectRegistry,
        _ primaryKey: Int64,
        as objectClass: NSManagedObject.Type
    ) -> NSManagedObject {
        // Nothing may come in between: whatever initializer runs next on this thread takes it.
        Handover.set(registry, primaryKey)
        let object = objectClass.allocate(materializing: registry.layout.entity)
        require(
            object.registry === registry,
            "\(objectClass).init(entity:insertInto:) must call super with its arguments."
        )
        return object
    }

    // MARK: Plain classes

    /// Whether no code of a client's runs while objects of an entity are made.
    static func isPlain(_ layout: EntityLayout) -> Bool { plainSize(resolve(layout)) != nil }

    /// The size of the objects of a class that can be made without its initializer: one that neither it
    /// nor a class above it declares, as the plugin has found in the sources, and that has no stored
    /// properties to initialize. Nil for all other classes.
    static func plainSize(_ type: NSManagedObject.Type) -> Int? {
        guard let size = baseSize, ObjectMemory.instanceSize(of: type) == size else { return nil }
        var current: AnyClass = type
        while current != NSManagedObject.self {
            guard KeyedPropertyTable.isPlain(current),
                let superclass = ObjectClass.superclass(of: current)
            else { return nil }
            current = superclass
        }
        return size
    }

    /// That of the base class, if it is the sum of its own properties: nothing above it has any.
    private static let baseSize: Int? = {
        let size =
            MemoryLayout<UnsafeRawPointer>.size * 2 + MemoryLayout<Unmanaged<ObjectRegistry>>.size
            + MemoryLayout<Int64>.size + MemoryLayout<Unmanaged<Row>?>.size
            + MemoryLayout<Unmanaged<Overlay>?>.size + MemoryLayout<ObjectFlags>.size
        return ObjectMemory.instanceSize(of: NSManagedObject.self) == size ? size : nil
    }()

    /// A fault of a plain class, which is in no map yet.
    ///
    /// - Parameter size: That of the class's objects.
    @inline(__always) static func makePlain(
        _ registry: ObjectRegistry,
        _ primaryKey: Int64,
        _ row: Row?,
        size: Int
    ) -> NSManagedObject {
        let object = ObjectMemory.allocate(registry.objectClass, size: size)
        // All are trivial types, for which an assignment is an initialization.
        object.heldRegistry = .passRetained(registry)
        object.primaryKey = primaryKey
        object.heldRow = row.map { .passRetained($0) }
        object.heldOverlay = nil
        object.flags = .fault
        return object
    }

    /// What the next `init(entity:insertInto:)` on this thread takes.
    struct Handover {
        private final class Slot {
            var registry: Unmanaged<ObjectRegistry>?
            var primaryKey: Int64 = 0
        }
        private static let slots = ThreadLocal { Slot() }

        @inline(__always) static func set(_ registry: ObjectRegistry, _ primaryKey: Int64) {
            let slot = slots.value
            // Unretained: `make` holds the registry until the initializer has taken it and retained
            // it.
            slot.registry = .passUnretained(registry)
            slot.primaryKey = primaryKey
        }

        @inline(__always) static func take() -> (registry: ObjectRegistry, primaryKey: Int64)? {
            let slot = slots.value
            guard let registry = slot.registry else { return nil }
            // Taken once: an object that the client's initializer makes after `super.init` is
            // another one.
            slot.registry = nil
            return (registry.takeUnretainedValue(), slot.primaryKey)
        }
    }
}

extension NSManagedObject {
    /// The allocating entry of `init(materializing:)`, called with the dynamic class: from there
    /// the class table leads to the designated initializer of the subclass. Swift offers dynamic
    /// construction for `required` initializers only. Initializers own their arguments.
    @_silgen_name("$s8CoreData15NSManagedObjectC13materializingAcA19NSEntityDescriptionC_tcfC")
    fileprivate static func allocate(
        materializing entity: __owned NSEntityDescription
    ) -> NSManagedObject
}

extension NSEntityDescription {
    /// `managedObjectClassName`.
    var fullClassName: String? {
        givenClassName.map { ManagedObjectClass.fullName($0, of: self) }
    }
}

extension NSManagedObject: RequestedClass {
    static var requestClass: AnyClass {
        RequestClasses.link(Self.self)
        return NSFetchRequest<Self>.self
    }
}

extension ManagedObjectClass {
    /// A new object of an entity's class, inserted into a context.
    static func insert(
        _ entity: NSEntityDescription,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        require(
            !entity.isAbstract,
            "Cannot create an object of the abstract entity \(entity.name ?? "")."
        )
        return insert(context.registry(forNew: entity), into: context)
    }

    /// The same, by the registry of the entity's new objects.
    static func insert(
        _ registry: ObjectRegistry,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = make(registry, TemporaryKey.next())
        object.takeDefaults()
        context.adopt(object)
        return object
    }
}
