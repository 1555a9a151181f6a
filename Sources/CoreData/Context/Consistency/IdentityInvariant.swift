/// One object for a row: every registered object is found by its primary key, and nothing else is
/// in the identity map.
struct IdentityInvariant {
    private let judge: ConsistencyJudge
    init(_ judge: ConsistencyJudge) { self.judge = judge }

    /// - Parameter entries: What the identity maps hold: keys, objects, and the maps.
    func check(_ entries: [(Int64, NSManagedObject, IdentityMap)]) -> [Inconsistency] {
        var found: [Inconsistency] = []
        var objects: [Place: NSManagedObject] = [:]
        objects.reserveCapacity(entries.count)
        for (key, object, map) in entries {
            if object.primaryKey != key || object.registry.identityMap !== map {
                found.append(Inconsistency(object, "is registered as p\(key)"))
            }
            if object.registry.context !== judge.context {
                found.append(
                    Inconsistency(object, "is registered here, but belongs to another context")
                )
            }
            if object.flags.contains(.detached) {
                found.append(
                    Inconsistency(object, "is registered, but has left the context (detached)")
                )
            }
            // By the key that the row has now: under an old and a new one two objects
            // would pass for two rows.
            let place = Place(
                map: ObjectIdentifier(map),
                primaryKey: judge.context.current(object.anyReference).primaryKey
            )
            if let other = objects.updateValue(object, forKey: place), other !== object {
                found.append(
                    Inconsistency(
                        object,
                        "is a second object for its row, which \(other.consistencyName) shows too"
                    )
                )
            }
        }
        return found
    }

    private struct Place: Hashable {
        let map: ObjectIdentifier
        let primaryKey: Int64
    }
}
