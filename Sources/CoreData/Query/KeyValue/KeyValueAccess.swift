import Foundation

/// Walks along key paths through managed objects, dictionaries and collections.
///
/// Predicates have a walk of their own, over values that are not boxed. This one calls
/// `value(forKey:)`, which clients override.
enum KeyValueAccess {
    /// The value for one key: of each element, if the source is a collection.
    static func value(of source: Any, forKey key: String) -> Any? {
        if key.hasPrefix("@") { return aggregate(key, of: source, path: "") }
        switch source {
        case let object as any KeyValueCoding: return object.value(forKey: key)
        case let dictionary as NSDictionary: return dictionary.object(forKey: key as NSString)
        case let dictionary as [AnyHashable: Any]: return dictionary[key]
        case is NSNull: return nil
        default: break
        }
        // After what knows its keys by itself: collections have values for the keys of their
        // elements only.
        if let collection = Collection(source) {
            return collection.mapped { value(of: $0, forKey: key) }
        }
        if key == "self" { return source }
        if let result = ReflectedProperty.value(of: source, forKey: key) { return result }
        fatalError(
            "\(type(of: source)) is not key value coding-compliant for the key \"\(key)\": a class "
                + "takes part in key paths if it conforms to KeyValueCoding."
        )
    }

    /// The value at the end of a key path.
    static func value(of source: Any, path: Substring) -> Any? {
        guard let dot = path.firstIndex(of: ".") else {
            return value(of: source, forKey: String(path))
        }
        let key = String(path[..<dot]), rest = path[path.index(after: dot)...]
        if key.hasPrefix("@") { return aggregate(key, of: source, path: rest) }
        return value(of: source, forKey: key).flatMap { value(of: $0, path: rest) }
    }

    /// Sets the value for one key: in each element, if the target is a collection.
    static func set(_ value: Any?, of target: Any, forKey key: String) {
        switch target {
        case let object as any KeyValueCoding: object.setValue(value, forKey: key)
        case let dictionary as NSMutableDictionary: dictionary.setValue(value, forKey: key)
        default:
            guard let collection = Collection(target) else {
                fatalError(
                    "\(type(of: target)) is not key value coding-compliant for the key \"\(key)\"."
                )
            }
            for element in collection.elements { set(value, of: element, forKey: key) }
        }
    }

    /// Sets the value at the end of a key path.
    static func set(_ value: Any?, of target: Any, path: Substring) {
        guard let dot = path.firstIndex(of: ".") else {
            return set(value, of: target, forKey: String(path))
        }
        let key = String(path[..<dot]), rest = path[path.index(after: dot)...]
        guard let next = self.value(of: target, forKey: key) else { return }
        guard !(next is any KeyValueCoding), let copy = next as? [AnyHashable: Any] else {
            return set(value, of: next, path: rest)
        }
        // On Linux a dictionary inside of another one comes out as a copy, which must be put back.
        let changed = NSMutableDictionary(dictionary: copy)
        set(value, of: changed, path: rest)
        set(changed, of: target, forKey: key)
    }

    // MARK: Operators

    private static func aggregate(_ name: String, of source: Any, path: Substring) -> Any? {
        guard let collection = Collection(source) else {
            fatalError(
                "The operator \(name) in a key path applies to collections, not to "
                    + "\(type(of: source))."
            )
        }
        if name == "@count" { return NSNumber(value: collection.elements.count) }
        let values = collection.elements.compactMap { element -> Any? in
            let found: Any? = path.isEmpty ? element : value(of: element, path: path)
            return found is NSNull ? nil : found
        }
        switch name {
        case "@sum": return number(.sum, values) ?? NSNumber(value: 0)
        case "@avg": return number(.average, values) ?? NSNumber(value: 0)
        case "@min": return number(.minimum, values)
        case "@max": return number(.maximum, values)
        case "@unionOfObjects": return NSArray(array: values)
        case "@distinctUnionOfObjects": return distinct(values, asSet: collection.kind == .set)
        case "@unionOfArrays": return NSArray(array: flattened(values))
        case "@distinctUnionOfArrays": return distinct(flattened(values), asSet: false)
        case "@distinctUnionOfSets": return distinct(flattened(values), asSet: true)
        default:
            fatalError(
                "There is no key path operator \(name): use @count, @sum, @avg, @min, @max, "
                    + "@unionOfObjects or @distinctUnionOfObjects."
            )
        }
    }

    private static func number(_ function: QueryFunction, _ values: [Any]) -> Any? {
        function.call([.collection(values.map { QueryValue($0) })]).anyValue
    }

    private static func distinct(_ values: [Any], asSet: Bool) -> Any {
        var known = Set<AnyHashable>()
        let hashable = HashableDecimalNumber.hashable(values)
        let places = values.indices.filter { place in
            (hashable[place] as? AnyHashable).map { known.insert($0).inserted } ?? true
        }
        return asSet
            ? NSSet(array: places.map { hashable[$0] }) : NSArray(array: places.map { values[$0] })
    }

    private static func flattened(_ values: [Any]) -> [Any] {
        values.flatMap { Collection($0)?.elements ?? [$0] }
    }

    /// The elements of a collection of any type, and what a collection made of them shall be.
    private struct Collection {
        enum Kind { case array, set, orderedSet }
        let kind: Kind
        let elements: [Any]

        init?(_ value: Any) {
            switch value {
            case let set as NSOrderedSet: (kind, elements) = (.orderedSet, set.array)
            case let set as NSSet: (kind, elements) = (.set, set.allObjects)
            case let array as NSArray:
                (kind, elements) = (.array, (0..<array.count).map { array.object(at: $0) })
            case let set as Set<NSObject>: (kind, elements) = (.set, Array(set))
            case let set as Set<AnyHashable>: (kind, elements) = (.set, set.map(\.base))
            case let array as [Any]: (kind, elements) = (.array, array)
            default: return nil
            }
        }

        /// The collection of the elements' values. Sets leave out nil, the others have `NSNull`.
        func mapped(_ transform: (Any) -> Any?) -> Any {
            switch kind {
            // Where elements have places, a missing value keeps its own as NSNull; a set has none
            // to keep.
            case .array: return NSArray(array: elements.map { transform($0) ?? NSNull() })
            case .set:
                let values = elements.compactMap(transform)
                return NSSet(array: HashableDecimalNumber.hashable(values))
            case .orderedSet:
                let values = elements.map { transform($0) ?? NSNull() }
                return NSOrderedSet(array: HashableDecimalNumber.hashable(values))
            }
        }
    }
}
