import Foundation

/// A key path, split once; collection operators are steps of their own.
struct KeyPathSteps: Sendable {
    enum Step: Equatable, Sendable {
        case key(QueryKey)
        /// `@count` and its like; what follows is taken from each element first.
        case collectionOperator(CollectionOperator)
    }
    enum CollectionOperator: String, Sendable {
        case count = "@count"
        case sum = "@sum"
        case average = "@avg"
        case minimum = "@min"
        case maximum = "@max"
        case unionOfObjects = "@unionOfObjects"
        case distinctUnionOfObjects = "@distinctUnionOfObjects"

        var function: QueryFunction? {
            switch self {
            case .count: .count
            case .sum: .sum
            case .average: .average
            case .minimum: .minimum
            case .maximum: .maximum
            case .unionOfObjects, .distinctUnionOfObjects: nil
            }
        }
    }

    let path: String
    let steps: [Step]

    init(_ path: String) {
        self.path = path
        // Most paths are one key.
        if path.utf8.allSatisfy({ $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }),
            !path.isEmpty
        {
            steps = [.key(QueryKey(path))]
            return
        }
        steps = path.split(separator: ".").map { part in
            let name = String(part)
            return CollectionOperator(rawValue: name).map { .collectionOperator($0) }
                ?? .key(QueryKey(name))
        }
    }

    /// The only key, if the path is one plain key.
    var singleKey: QueryKey? {
        guard steps.count == 1, case .key(let key) = steps[0] else { return nil }
        return key
    }

    /// The function of the path's collection operator; nil if it has none that gives one value.
    var operatorFunction: QueryFunction? {
        for case .collectionOperator(let operation) in steps { return operation.function }
        return nil
    }

    /// The value at the path's end.
    ///
    /// A collection on the way gives a collection of all that its elements lead to; an element
    /// that leads to nil before the last key gives none.
    ///
    /// - Parameter nilIsEmpty: Whether nil before the last key is an empty collection, as `ANY`
    ///   and `ALL` need it.
    func value(from root: QueryValue, nilIsEmpty: Bool = false) -> QueryValue {
        value(from: root, steps[...], nilIsEmpty)
    }

    private func value(
        from root: QueryValue,
        _ steps: ArraySlice<Step>,
        _ nilIsEmpty: Bool
    ) -> QueryValue {
        var current = root
        var rest = steps
        while let step = rest.popFirst() {
            switch step {
            case .collectionOperator(let operation):
                // What is behind the operator is followed first, and nil on the way counts as no
                // element: `@count` and `@sum` of an absent object are those of an empty
                // collection.
                return Self.apply(operation, value(from: current, rest, true))
            case .key(let key):
                if case .collection(let elements) = current {
                    // The key is taken off already but belongs to the elements, so the rest of the
                    // path begins with it.
                    return flattened(elements, steps.suffix(rest.count + 1))
                }
                if current.isNull {
                    // An operator further on sees an empty collection.
                    let remaining = steps.suffix(rest.count + 1)
                    let hasOperator = remaining.contains {
                        if case .collectionOperator = $0 { true } else { false }
                    }
                    return nilIsEmpty || hasOperator ? flattened([], remaining) : .null
                }
                current = Self.property(key, of: current)
            }
        }
        return current
    }

    private func flattened(_ elements: [QueryValue], _ rest: ArraySlice<Step>) -> QueryValue {
        // An operator applies to what all elements lead to, so its step is kept for afterwards.
        var keys = rest
        var operation: CollectionOperator?
        var after: ArraySlice<Step> = []
        for index in rest.indices {
            if case .collectionOperator(let found) = rest[index] {
                operation = found
                keys = rest[rest.startIndex..<index]
                after = rest[(index + 1)...]
                break
            }
        }
        var result: [QueryValue] = []
        result.reserveCapacity(elements.count)
        for element in elements where !element.isNull {
            let value = value(from: element, keys, true)
            if case .collection(let inner) = value {
                result.append(contentsOf: inner)
            } else {
                result.append(value)
            }
        }
        guard let operation else { return .collection(result) }
        let collection = QueryValue.collection(result)
        return Self.apply(
            operation,
            after.isEmpty ? collection : value(from: collection, after, true)
        )
    }

    private static func apply(
        _ operation: CollectionOperator,
        _ collection: QueryValue
    ) -> QueryValue {
        if let function = operation.function { return function.call([collection]) }
        guard case .collection(let elements) = collection else { return collection }
        guard operation == .distinctUnionOfObjects else { return collection }
        // By the evaluator's own equality, across kinds, for which there is no hash.
        var distinct: [QueryValue] = []
        for element in elements
        where !distinct.contains(where: { QueryComparison.isEqual($0, element, []) }) {
            distinct.append(element)
        }
        return .collection(distinct)
    }

    /// The keys that plain values have.
    static let valueKeys: Set<String> = [
        "self", "SELF", "objectID", "length", "lowercaseString", "uppercaseString", "stringValue",
    ]

    /// One property of a value.
    static func property(_ queryKey: QueryKey, of value: QueryValue) -> QueryValue {
        let key = queryKey.name
        if case .object(let source) = value {
            if let result = source.queryValue(for: queryKey) { return result }
            if key == "self" || key == "SELF" || key == "objectID" { return value }
            fatalError(
                "valueForUndefinedKey: \(Swift.type(of: source)) is not key value "
                    + "coding-compliant for the key \"\(key)\"."
            )
        }
        // The keys here are `valueKeys`, by which requests are checked before they are executed:
        // what a user has typed must not get to the end of this, where the program stops.
        switch (key, value) {
        case ("self", _), ("SELF", _), ("objectID", _): return value
        case ("length", _): return QueryFunction.length.call([value])
        case ("lowercaseString", _): return QueryFunction.lowercase.call([value])
        case ("uppercaseString", _): return QueryFunction.uppercase.call([value])
        case ("stringValue", _): return CastTarget.string.cast(value)
        case (_, .other(let object as any KeyValueCoding)):
            return QueryValue(object.value(forKey: key))
        case (_, .other(let object)):
            guard let result = ReflectedProperty.value(of: object, forKey: key) else {
                fatalError(
                    "valueForUndefinedKey: \(Swift.type(of: object)) is not key value "
                        + "coding-compliant for the key \"\(key)\"."
                )
            }
            return QueryValue(result)
        default:
            fatalError(
                "valueForUndefinedKey: the value is not key value coding-compliant for the key "
                    + "\"\(key)\"."
            )
        }
    }
}
