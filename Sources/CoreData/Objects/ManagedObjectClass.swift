import Foundation

/// Finds the class of an entity's objects and makes instances of classes known only at run time.
enum ManagedObjectClass {
    /// The class that a layout's entity names; `NSManagedObject` if there is no such class in the
    /// process.
    ///
    /// A name with a module finds a class of that module. A name without one, or one with a
    /// leading dot, is looked for in the module of the program too.
    static func resolve(_ layout: EntityLayout) -> NSManagedObject.Type {
        guard let name = layout.objectClassName, name != "NSManagedObject" else {
            return NSManagedObject.self
        }
        if let known = resolved.withLock({ $0[name] }) { return known }
        let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
        let program = ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
        for candidate in [plain, "\(program).\(plain)"] {
            if let found = NSClassFromString(candidate) as? NSManagedObject.Type {
                resolved.withLock { $0[name] = found }
                return found
            }
        }
        return NSManagedObject.self
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
        Handover.set(registry, primaryKey)
        let object = registry.objectClass.allocate(materializing: registry.layout.entity)
        precondition(
            object.registry === registry,
            "\(registry.objectClass).init(entity:insertInto:) must call super with its arguments."
        )
        return object
    }

    /// What the next `init(entity:insertInto:)` on this thread takes.
    struct Handover {
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key) { pointer in
                pointer.map { $0.assumingMemoryBound(to: Slot.self).deallocate() }
            }
            return key
        }()
        private struct Slot {
            var registry: Unmanaged<ObjectRegistry>?
            var primaryKey: Int64
        }

        @inline(__always) private static func slot() -> UnsafeMutablePointer<Slot> {
            if let pointer = pthread_getspecific(key) {
                return pointer.assumingMemoryBound(to: Slot.self)
            }
            let slot = UnsafeMutablePointer<Slot>.allocate(capacity: 1)
            slot.initialize(to: Slot(registry: nil, primaryKey: 0))
            pthread_setspecific(key, slot)
            return slot
        }

        @inline(__always) static func set(_ registry: ObjectRegistry, _ primaryKey: Int64) {
            slot().pointee = Slot(registry: .passUnretained(registry), primaryKey: primaryKey)
        }

        @inline(__always) static func take() -> (registry: ObjectRegistry, primaryKey: Int64)? {
            let slot = slot()
            guard let registry = slot.pointee.registry else { return nil }
            slot.pointee.registry = nil
            return (registry.takeUnretainedValue(), slot.pointee.primaryKey)
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

extension ManagedObjectClass {
    /// A new object of an entity's class, inserted into a context.
    static func insert(
        _ entity: NSEntityDescription,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        precondition(
            !entity.isAbstract,
            "Cannot create an object of the abstract entity \(entity.name ?? "")."
        )
        let object = make(context.registry(forNew: entity), TemporaryKey.next())
        object.takeDefaults()
        context.adopt(object)
        return object
    }
}
