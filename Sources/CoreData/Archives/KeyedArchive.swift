import Foundation

/// A keyed archive from outside, taken apart but not turned into objects.
///
/// The form is `NSKeyedArchiver`'s: a property list whose `$objects` refer to each other by their
/// places, in circles as well. Nothing of it names a class of this process until a reader asks
/// for one.
///
/// > Threading: Immutable; any thread.
final class KeyedArchive: Sendable {
    let objects: [PropertyListValue]
    private let top: [String: PropertyListValue]

    /// What stands for nil.
    static let null = PropertyListValue.string("$null")

    /// - Parameters:
    ///   - data: The archive, as a binary or XML property list.
    ///   - maximumByteCount: More bytes are refused.
    init(
        _ data: Data,
        maximumByteCount: Int = PropertyList.maximumByteCount
    ) throws(ArchiveError) {
        let list = try PropertyList.read(data, maximumByteCount: maximumByteCount)
        guard list["$archiver"]?.string?.hasSuffix("KeyedArchiver") == true,
            case .array(let objects)? = list["$objects"],
            case .dictionary(let top)? = list["$top"]
        else { throw ArchiveError(reason: "it is a property list, but no keyed archive") }
        self.objects = objects
        self.top = top
    }

    /// The object that was archived.
    func root() throws(ArchiveError) -> ArchivedValue {
        guard let place = top["root"] ?? (top.count == 1 ? top.first?.value : nil) else {
            throw ArchiveError(reason: "the archive has no root object")
        }
        return try value(place)
    }

    /// What a field says: itself, or the object that it refers to.
    func value(_ field: PropertyListValue) throws(ArchiveError) -> ArchivedValue {
        guard case .reference(let place) = field else { return .plain(field) }
        // A reference is never negative: both readers of property lists see to that.
        guard place < objects.count else {
            throw ArchiveError(reason: "it refers to an object that is not there")
        }
        let object = objects[place]
        if place == 0 || object == Self.null { return .null }
        guard case .dictionary(let fields) = object, let classField = fields["$class"] else {
            return .plain(object)
        }
        return .object(
            ArchivedObject(
                archive: self,
                place: place,
                classNames: try classNames(classField),
                fields: fields
            )
        )
    }

    /// The name of a class, followed by those that it inherits from.
    private func classNames(_ field: PropertyListValue) throws(ArchiveError) -> [String] {
        guard case .reference(let place) = field, place < objects.count,
            let name = objects[place]["$classname"]?.string
        else { throw ArchiveError(reason: "an object has no class") }
        guard case .array(let line)? = objects[place]["$classes"] else { return [name] }
        // The list begins with the class itself.
        return [name] + line.compactMap(\.string).filter { $0 != name }
    }
}

/// What a field of an archive says.
enum ArchivedValue {
    case null
    /// A string, a number or the like.
    case plain(PropertyListValue)
    case object(ArchivedObject)
}

/// An object of a keyed archive, by its fields.
struct ArchivedObject {
    let archive: KeyedArchive
    /// The object's place in the archive, the same wherever it is referred to.
    let place: Int
    /// The name of its class, then those of the classes that this inherits from.
    let classNames: [String]
    let fields: [String: PropertyListValue]

    var className: String { classNames[0] }

    func value(_ key: String) throws(ArchiveError) -> ArchivedValue {
        guard let field = fields[key] else { return .null }
        return try archive.value(field)
    }

    /// An object that is referred to; nil for none.
    func object(_ key: String) throws(ArchiveError) -> ArchivedObject? {
        switch try value(key) {
        case .object(let object): return object
        case .null: return nil
        case .plain: throw malformed(key)
        }
    }

    /// A string, mutable or not; nil for none.
    func string(_ key: String) throws(ArchiveError) -> String? {
        switch try value(key) {
        case .null: return nil
        case .plain(.string(let string)): return string
        case .object(let object):
            guard let string = try object.stringContent() else { throw malformed(key) }
            return string
        case .plain: throw malformed(key)
        }
    }

    func integer(_ key: String) throws(ArchiveError) -> Int? {
        switch try value(key) {
        case .null: return nil
        case .plain(let value):
            guard let integer = value.integer else { throw malformed(key) }
            return Int(integer)
        case .object: throw malformed(key)
        }
    }

    func boolean(_ key: String) throws(ArchiveError) -> Bool? {
        switch try value(key) {
        case .null: return nil
        case .plain(let value):
            guard let boolean = value.boolean else { throw malformed(key) }
            return boolean
        case .object: throw malformed(key)
        }
    }

    func malformed(_ key: String) -> ArchiveError {
        ArchiveError(reason: "the field \(key) of an object of class \(className) is malformed")
    }

    // MARK: Contents of Foundation's objects

    /// The text, if this is a string.
    func stringContent() throws(ArchiveError) -> String? {
        guard className == "NSString" || className == "NSMutableString" else { return nil }
        return try text()
    }

    /// The text of a string.
    func text() throws(ArchiveError) -> String {
        switch try value("NS.string") {
        case .plain(.string(let string)): return string
        case .object, .plain: throw malformed("NS.string")
        case .null: break
        }
        guard case .plain(.data(let data)) = try value("NS.bytes"),
            let string = String(validating: data, as: UTF8.self)
        else { throw malformed("NS.string") }
        return string
    }

    /// The elements of an array or a set, in their order.
    func elements() throws(ArchiveError) -> [ArchivedValue] {
        guard let field = fields["NS.objects"] else { return try numberedElements() }
        guard case .array(let references) = field else { throw malformed("NS.objects") }
        var elements: [ArchivedValue] = []
        for reference in references { elements.append(try archive.value(reference)) }
        return elements
    }

    /// Ordered sets have a field for each element.
    private func numberedElements() throws(ArchiveError) -> [ArchivedValue] {
        var elements: [ArchivedValue] = []
        while let field = fields["NS.object.\(elements.count)"] {
            elements.append(try archive.value(field))
        }
        return elements
    }

    /// The keys and values of a dictionary, also of one whose keys are kept apart from it, as
    /// model caches have it.
    func entries() throws(ArchiveError) -> [(key: ArchivedValue, value: ArchivedValue)] {
        if let mapping = try object("searchMapping") { return try knownEntries(mapping) }
        guard case .array(let keys)? = fields["NS.keys"],
            case .array(let values)? = fields["NS.objects"], keys.count == values.count
        else { throw malformed("NS.keys") }
        var entries: [(key: ArchivedValue, value: ArchivedValue)] = []
        for (key, value) in zip(keys, values) {
            entries.append((try archive.value(key), try archive.value(value)))
        }
        return entries
    }

    /// What `NSKnownKeysDictionary1` holds: its values stand in the order of the mapping's keys,
    /// and a token in place of values that are not there.
    private func knownEntries(
        _ mapping: ArchivedObject
    ) throws(ArchiveError) -> [(key: ArchivedValue, value: ArchivedValue)] {
        guard let keys = try mapping.object("keys")?.elements(),
            let values = try object("values")?.elements(), keys.count >= values.count
        else { throw malformed("searchMapping") }
        let token = try string("emptyToken")
        return zip(keys, values).filter { entry in
            guard let token, case .plain(.string(let string)) = entry.1 else { return true }
            return string != token
        }.map { (key: $0.0, value: $0.1) }
    }
}
