import Foundation

/// What the functions that Xcode generates for to-many relationships come down to, such as
/// `addToItems(_:)` and `replaceItems(at:with:)`: for generated code only.
extension NSManagedObject {
    /// Adds, removes, inserts or replaces objects, as the function's name says.
    ///
    /// - Parameters:
    ///   - key: The function's number.
    ///   - arguments: Its arguments: an object or a collection of them, a place or a set of places.
    public final func _callAccessor(_ key: Int, _ arguments: Any...) {
        let entry = accessorEntry(key)
        guard entry.role.rawValue >= AccessorEntry.Role.add.rawValue else {
            fatalError(
                "The entity \(layout.name) has no to-many relationship for the @NSManaged function "
                    + "\"\(AccessorNames.name(key))\"."
            )
        }
        let property = layout.slots[entry.slot]
        var objects: [NSManagedObject] = []
        var places: [Int] = []
        for argument in arguments {
            switch argument {
            case let place as Int: places = [place]
            case let indexes as IndexSet: places = Array(indexes)
            case let object as NSManagedObject: objects = [object]
            default: objects = Self.objects(in: argument, for: property)
            }
        }
        change(entry, objects, at: places)
    }

    private func change(_ entry: AccessorEntry, _ objects: [NSManagedObject], at places: [Int]) {
        let slot = entry.slot
        switch entry.role {
        case .add: for object in objects { addToToMany(slot, object) }
        case .remove: for object in objects { removeFromToMany(slot, object) }
        case .intersect:
            let kept = Set(objects)
            for object in toManyObjects(slot) where !kept.contains(object) {
                removeFromToMany(slot, object)
            }
        case .insert:
            // Places of an index set ascend, so that each counts the objects inserted before it.
            for (object, place) in zip(objects, places) { addToToMany(slot, object, at: place) }
        case .removeAt:
            // Places are those before the first removal, which moves all that stand behind it.
            let content = toManyObjects(slot)
            for place in places { removeFromToMany(slot, content[place]) }
        case .replaceAt:
            var content = toManyObjects(slot)
            for (object, place) in zip(objects, places) { content[place] = object }
            setToMany(slot, content)
        case .missing, .value, .primitive, .count: break
        }
    }
}
