import Foundation

/// A composite attribute, compiled: the elements at the ends of its tree, in order.
///
/// In a row the value is one sequence of bytes; stores with columns give each element one.
///
/// > Threading: Immutable; any thread.
struct CompositeLayout: @unchecked Sendable {
    // @unchecked: descriptions in use are frozen.

    struct Element {
        /// The keys that lead to it, from the composite on.
        let path: [String]
        let kind: StorageKind
        let attribute: NSAttributeDescription
    }
    let elements: [Element]

    init(_ composite: NSCompositeAttributeDescription) {
        elements = Self.elements(of: composite, at: [])
    }

    private static func elements(
        of composite: NSCompositeAttributeDescription,
        at path: [String]
    ) -> [Element] {
        composite.elements.flatMap { attribute -> [Element] in
            let path = path + [attribute.name]
            if let inner = attribute as? NSCompositeAttributeDescription {
                return elements(of: inner, at: path)
            }
            let kind = StorageKind(attribute.attributeType)
            guard kind.isInRow else { return [] }
            return [Element(path: path, kind: kind, attribute: attribute)]
        }
    }

    /// The place of the element that keys lead to.
    func index(of path: [String]) -> Int? { elements.firstIndex { $0.path == path } }

    // MARK: Dictionaries

    /// The elements' values of a dictionary, or of dictionaries in it; what it lacks is null.
    ///
    /// - Throws: A sentence that names the element, if a value is of another type.
    func values(of dictionary: Any, _ attribute: String) throws -> [SlotValue] {
        try elements.map { element in
            var value: Any? = dictionary
            for key in element.path { value = Self.value(in: value, for: key) }
            guard let stored = try element.slotValue(value) else {
                throw CocoaError.coreData(
                    "The element \"\(element.path.joined(separator: "."))\" of the composite "
                        + "attribute \"\(attribute)\" does not take a value of type "
                        + "\(type(of: value ?? "")): give it one of its own type."
                )
            }
            return stored
        }
    }

    /// The dictionary of some values; elements that are null are left out.
    func dictionary(of values: [SlotValue]) -> [String: Any] {
        var result: [String: Any] = [:]
        for (element, value) in zip(elements, values) {
            if let value = element.anyValue(value) { Self.set(value, element.path[...], &result) }
        }
        return result
    }

    private static func value(in container: Any?, for key: String) -> Any? {
        if let dictionary = container as? [String: Any] { return dictionary[key] }
        return (container as? NSDictionary)?[key]
    }

    private static func set(
        _ value: Any,
        _ path: ArraySlice<String>,
        _ dictionary: inout [String: Any]
    ) {
        guard let key = path.first else { return }
        guard path.count > 1 else {
            dictionary[key] = value
            return
        }
        var inner = dictionary[key] as? [String: Any] ?? [:]
        set(value, path.dropFirst(), &inner)
        dictionary[key] = inner
    }
}

extension CompositeLayout.Element {
    fileprivate func slotValue(_ value: Any?) throws -> SlotValue? {
        guard kind == .transformable, let value, !(value is NSNull) else {
            return kind.slotValue(value)
        }
        return .bytes(try TransformableValue.archive(value, attribute))
    }

    fileprivate func anyValue(_ value: SlotValue) -> Any? {
        guard kind == .transformable, case .bytes(let data) = value else {
            return kind.anyValue(value)
        }
        return TransformableValue.unarchive(data, attribute)
    }
}

// MARK: Bytes

/// The bytes of a composite in a row: for each element a tag, then what it holds.
extension CompositeLayout {
    private enum Tag: UInt8 {
        case null, integer, real, text, bytes
    }

    func bytes(_ values: [SlotValue]) -> Data {
        var data = Data()
        func append(_ tag: Tag, _ word: UInt64) {
            data.append(tag.rawValue)
            // Little-endian on every machine: binary and XML stores have these bytes in their
            // files.
            withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
        }
        for value in values {
            switch value {
            case .integer(let integer): append(.integer, UInt64(bitPattern: integer))
            case .real(let real): append(.real, real.bitPattern)
            case .text(let text):
                append(.text, UInt64(text.utf8.count))
                data.append(contentsOf: text.utf8)
            case .bytes(let content):
                append(.bytes, UInt64(content.count))
                data.append(content)
            case .null, .reference, .box: data.append(Tag.null.rawValue)
            }
        }
        return data
    }

    /// The values that `bytes(_:)` made bytes of; null from where they end too early.
    func values(_ data: Data) -> [SlotValue] {
        var rest = data[...]
        func word() -> UInt64? {
            guard rest.count >= 8 else { return nil }
            let word = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(8)
            return word
        }
        func content() -> Data? {
            // Compared before it is converted, which would stop the process for a damaged count.
            guard let count = word(), count <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return Data(rest.prefix(Int(count)))
        }
        return elements.map { _ in
            guard let tag = rest.popFirst().flatMap(Tag.init) else { return .null }
            switch tag {
            case .null: return .null
            case .integer: return word().map { .integer(Int64(bitPattern: $0)) } ?? .null
            case .real: return word().map { .real(Double(bitPattern: $0)) } ?? .null
            case .text: return content().map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
            case .bytes: return content().map { .bytes($0) } ?? .null
            }
        }
    }
}
