import Foundation

/// Key-value access by properties written in Swift.
extension NSManagedObject {
    /// The property that reads the value for a key; nil while it runs, so that one written over
    /// `value(forKey:)` of its own key gets the model's value.
    @inline(__always) final func keyedGetter(_ key: String) -> KeyedProperty? {
        // A client may have made the object of another class than its entity's, whose table this
        // is.
        guard let table = registry.keyedProperties, let property = table.property(key, layout),
            property.isOwned(type(of: self)), !RunningAccessors.holds(self, key, .get)
        else { return nil }
        return property
    }

    /// The same for setting.
    @inline(__always) final func keyedSetter(_ key: String) -> KeyedProperty? {
        guard let table = registry.keyedProperties, let property = table.property(key, layout),
            property.set != nil, property.isOwned(type(of: self)),
            !RunningAccessors.holds(self, key, .set)
        else { return nil }
        return property
    }

    /// Whether a value is for the model's property of the same name: one that this can't be set to, which may
    /// well be none that key-value coding sees.
    final func isForModel(_ value: Any?, _ property: KeyedProperty) -> Bool {
        property.isInferred && layout.slotsByName[property.key] != nil && !property.accepts(value)
    }

    /// The property whose setter a key means that no property has: key-value coding looks for `setDate:`
    /// by the keys "date" and "Date".
    final func nameBySetter(_ key: String) -> String? {
        guard let first = key.first, first.isUppercase else { return nil }
        let name = first.lowercased() + key.dropFirst()
        let isKnown = layout.slotsByName[name] != nil || keyedSetter(name) != nil
        return isKnown ? name : nil
    }

    final func value(by property: KeyedProperty) -> Any? {
        RunningAccessors.run(self, property.key, .get) { property.get(self) }
    }

    final func setValue(_ value: Any?, by property: KeyedProperty) {
        RunningAccessors.run(self, property.key, .set) { property.set?(self, value) }
    }
}

/// The accessors that key-value access has called on a thread and that have not returned yet.
private enum RunningAccessors {
    enum Kind { case get, set }
    private struct Call {
        let object: ObjectIdentifier
        let key: String
        let kind: Kind
    }
    private final class Calls {
        var list: [Call] = []
    }
    private static let calls = ThreadLocal { Calls() }

    static func holds(_ object: NSManagedObject, _ key: String, _ kind: Kind) -> Bool {
        let object = ObjectIdentifier(object)
        return calls.value.list.contains {
            $0.object == object && $0.kind == kind && $0.key == key
        }
    }

    static func run<Result>(
        _ object: NSManagedObject,
        _ key: String,
        _ kind: Kind,
        _ body: () -> Result
    ) -> Result {
        let calls = calls.value
        calls.list.append(Call(object: ObjectIdentifier(object), key: key, kind: kind))
        defer { calls.list.removeLast() }
        return body()
    }
}
