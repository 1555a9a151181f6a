import Foundation

/// Finds out which property a key path leads to, by following it on an object that notes what is
/// asked of it.
///
/// Swift key paths to computed properties, which those of `@NSManaged` properties are, don't hold
/// the property's name on this platform. The same works for properties with accessors written by
/// hand, which ask for `primitiveValue(forKey:)` or the like.
///
/// > Threading: Any thread; each follows its own key paths.
enum KeyPathProbe {
    /// One key that was asked for. A step's object keeps its address for as long as the path is
    /// followed.
    private struct Step {
        let object: NSManagedObject
        let name: String
    }
    private final class Recorder {
        var steps: [Step] = []
    }
    private static let recorders = ThreadLocal { Recorder() }

    private static let layout: EntityLayout = {
        let entity = NSEntityDescription()
        entity.name = "KeyPathProbe"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model.layout.entities[0]
    }()

    static func isProbe(_ object: NSManagedObject) -> Bool { object.layout === layout }

    /// Notes that a key was asked for; gives nil, which is what a probe's values are.
    static func note(_ name: String, of object: NSManagedObject) -> Any? {
        recorders.value.steps.append(Step(object: object, name: plain(name)))
        return nil
    }

    /// The name of the property that a key path leads to, with the names on the way before it; nil
    /// if its root is no class of managed objects, or what it leads to stands on several properties.
    static func name(of keyPath: AnyKeyPath) -> String? {
        guard let root = type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
        let recorder = recorders.value
        // A getter written by hand may follow another key path while this one is followed.
        let before = recorder.steps
        recorder.steps = []
        defer { recorder.steps = before }
        let probe: Any = make(root)
        _ = probe[keyPath: keyPath]
        var names: [String] = []
        var last: NSManagedObject?
        for step in recorder.steps {
            // A custom accessor may ask for its key more than once.
            if step.object === last, step.name == names.last { continue }
            // Two keys asked of one object: the property is computed from both, and neither is its
            // name.
            guard step.object !== last else { return nil }
            names.append(step.name)
            last = step.object
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }

    /// A value for a property that is not optional, where a type is known to have one.
    static func placeholder<Value>(_: Value.Type) -> Value? {
        if let type = Value.self as? NSManagedObject.Type { return make(type) as? Value }
        // Foundation's mutable collections serve as those that can't be changed, too.
        let collections: [Any] = [
            NSMutableSet(), NSMutableOrderedSet(), NSMutableArray(), NSMutableDictionary(),
        ]
        let candidates =
            AttributeKinds.all.compactMap { $0.placeholder } + [Decimal.zero] + collections
        if let value = candidates.lazy.compactMap({ $0 as? Value }).first { return value }
        return ZeroValue.of(Value.self)
    }

    private static func make(_ type: NSManagedObject.Type) -> NSManagedObject {
        let object = ManagedObjectClass.make(
            ObjectRegistry(detached: layout),
            TemporaryKey.next(),
            as: type
        )
        // No fault: a value that is asked for would have to be read from a store that is not there.
        object.flags = []
        return object
    }

    /// `name` for `primitiveName`.
    private static func plain(_ name: String) -> String {
        let prefix = "primitive"
        guard name.hasPrefix(prefix), name.count > prefix.count else { return name }
        let rest = name.dropFirst(prefix.count)
        return rest.prefix(1).lowercased() + rest.dropFirst()
    }
}

extension NSManagedObject: NamedKeyPaths {
    static func listedName(of keyPath: AnyKeyPath) -> String? {
        KeyedPropertyTable.key(of: keyPath)
    }

    static func probedName(of keyPath: AnyKeyPath) -> String? { KeyPathProbe.name(of: keyPath) }
}
