/// The models that coordinators use.
///
/// > Threading: Any thread.
enum ModelsInUse {
    private final class Member: Sendable {
        /// Compared instead of the model, which is not looked at behind the lock.
        let identifier: ObjectIdentifier
        private let held: WeakHold<NSManagedObjectModel>
        var model: NSManagedObjectModel? { held.object }
        /// Finds the class of an entity's objects, which this room knows nothing of.
        let objectClass: @Sendable (EntityLayout) -> any RequestedClass.Type

        init(
            _ model: NSManagedObjectModel,
            _ objectClass: @escaping @Sendable (EntityLayout) -> any RequestedClass.Type
        ) {
            identifier = ObjectIdentifier(model)
            held = WeakHold(model)
            self.objectClass = objectClass
        }
    }
    private static let members = Locked<[Member]>([])

    /// Notes a model that a coordinator uses.
    ///
    /// - Parameter objectClass: Finds the class of an entity's objects.
    static func add(
        _ model: NSManagedObjectModel,
        objectClass: @escaping @Sendable (EntityLayout) -> any RequestedClass.Type
    ) {
        let added = Member(model, objectClass)
        // Looking at a model that is held weakly may make the last reference to it, whose release
        // runs a deinit: never under the lock.
        let gone = members.withLock { $0 }.filter { $0.model == nil }
        members.withLock { members in
            // A model that is used again moves to the end, from where entities are looked for
            // first.
            members.removeAll { member in
                member.identifier == added.identifier || gone.contains { $0 === member }
            }
            members.append(added)
        }
    }

    /// The models, the one that was used last first.
    static var latestFirst: [NSManagedObjectModel] {
        members.withLock { $0 }.compactMap(\.model).reversed()
    }

    /// The class of an entity's objects in the model that was used last of those that have it.
    static func objectClass(ofEntityNamed name: String) -> (any RequestedClass.Type)? {
        // The rest is outside of the lock, since models have locks of their own for their layouts.
        let members = members.withLock { $0 }
        for member in members.reversed() {
            guard let layout = member.model?.layout.entitiesByName[name] else { continue }
            return member.objectClass(layout)
        }
        return nil
    }
}
