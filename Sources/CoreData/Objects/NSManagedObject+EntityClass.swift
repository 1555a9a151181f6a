import Foundation

extension NSManagedObject {
    /// Makes an object that was created as one of a class above its entity's one of the entity's class.
    ///
    /// Apple's framework allocates an object of the entity's class, whichever class is named; clients
    /// write `NSManagedObject(entity: person, insertInto: context) as! Person`. Swift has allocated one
    /// of the class that is named before it calls the initializer, which is as large, unless a class
    /// in between has stored properties.
    @inline(__always) final func takeClassOfEntity() {
        if registry.objectClass != type(of: self) { takeClass(registry.objectClass) }
    }

    @inline(never) private func takeClass(_ entityClass: NSManagedObject.Type) {
        let present: AnyClass = type(of: self)
        guard ObjectClass.isClass(entityClass, below: present) else { return }
        if let size = ObjectMemory.instanceSize(of: present),
            ObjectMemory.instanceSize(of: entityClass) == size,
            ObjectClass.set(entityClass, of: self)
        {
            return
        }
        let isFirst = Self.toldClasses.withLock {
            $0.insert(ObjectIdentifier(entityClass)).inserted
        }
        guard isFirst else { return }
        FileHandle.standardError.write(
            Data(
                "CoreData: error: \(present)(entity:insertInto:) can't make an object of the class "
                    .appending("\(entityClass) of the entity, which has stored properties: use ")
                    .appending("\(entityClass)(entity:insertInto:) or \(entityClass)(context:).\n")
                    .utf8
            )
        )
    }

    /// The classes that standard error has told of.
    private static let toldClasses = Locked<Set<ObjectIdentifier>>([])
}
