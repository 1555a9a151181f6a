import Foundation

/// Puts a keyed archive together, in the form that `NSKeyedArchiver` writes.
///
/// The same calls give the same bytes. Strings and numbers that are equal stand in the archive
/// once.
final class KeyedArchiveBuilder {
    /// A reference to nil.
    static let null = PropertyListValue.reference(0)

    // Place 0 stands for nil in every archive.
    private var objects: [PropertyListValue] = [KeyedArchive.null]
    private var plainPlaces: [PropertyListValue: Int] = [:]
    private var classPlaces: [String: Int] = [:]
    /// Objects of a program's classes, each held as long as its place is known.
    private var objectPlaces: [ObjectIdentifier: (object: AnyObject, place: Int)] = [:]

    /// A reference to a string, a number or data.
    func plain(_ value: PropertyListValue) -> PropertyListValue {
        // Zero and minus zero are equal, and not the same.
        if case .real = value { return .reference(append(value)) }
        if let place = plainPlaces[value] { return .reference(place) }
        let place = append(value)
        // A text that is the same as what stands for nil would be read as nil.
        if value == KeyedArchive.null {
            fill(place, ["NSString", "NSObject"], ["NS.string": value])
        }
        plainPlaces[value] = place
        return .reference(place)
    }

    /// A reference to a string; to nil for nil.
    func string(_ string: String?) -> PropertyListValue {
        string.map { plain(.string($0)) } ?? Self.null
    }

    /// A place for an object that others refer to before it is complete.
    func reserve() -> Int { append(KeyedArchive.null) }

    /// Where an object is, or will be.
    func place(of object: AnyObject) -> Int? { objectPlaces[ObjectIdentifier(object)]?.place }

    /// A place for an object that may be met again.
    func reserve(for object: AnyObject) -> Int {
        let place = reserve()
        objectPlaces[ObjectIdentifier(object)] = (object, place)
        return place
    }

    /// Puts an object at a reserved place.
    ///
    /// - Parameter classNames: The class, followed by those that it inherits from.
    func fill(_ place: Int, _ classNames: [String], _ fields: [String: PropertyListValue]) {
        var fields = fields
        fields["$class"] = classReference(classNames)
        objects[place] = .dictionary(fields)
    }

    /// A reference to a new object.
    func object(
        _ classNames: [String],
        _ fields: [String: PropertyListValue]
    ) -> PropertyListValue {
        let place = reserve()
        fill(place, classNames, fields)
        return .reference(place)
    }

    private func classReference(_ names: [String]) -> PropertyListValue {
        let name = names[0]
        if let place = classPlaces[name] { return .reference(place) }
        let place = append(
            .dictionary([
                "$classname": .string(name),
                "$classes": .array(names.map { .string($0) }),
            ])
        )
        classPlaces[name] = place
        return .reference(place)
    }

    private func append(_ object: PropertyListValue) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    /// The archive of an object that is in it.
    func data(root: PropertyListValue) -> Data {
        BinaryPropertyListWriter.data(
            .dictionary([
                "$version": .integer(100_000),
                "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(["root": root]),
                "$objects": .array(objects),
            ])
        )
    }

    // MARK: Collections of references

    func array(_ elements: [PropertyListValue], isMutable: Bool = false) -> PropertyListValue {
        object(
            isMutable ? ["NSMutableArray", "NSArray", "NSObject"] : ["NSArray", "NSObject"],
            ["NS.objects": .array(elements)]
        )
    }

    func set(_ elements: [PropertyListValue], isMutable: Bool = false) -> PropertyListValue {
        object(
            isMutable ? ["NSMutableSet", "NSSet", "NSObject"] : ["NSSet", "NSObject"],
            ["NS.objects": .array(elements)]
        )
    }

    func dictionary(
        _ entries: [(key: PropertyListValue, value: PropertyListValue)],
        isMutable: Bool = false
    ) -> PropertyListValue {
        object(
            isMutable
                ? ["NSMutableDictionary", "NSDictionary", "NSObject"]
                : ["NSDictionary", "NSObject"],
            ["NS.keys": .array(entries.map(\.key)), "NS.objects": .array(entries.map(\.value))]
        )
    }
}
