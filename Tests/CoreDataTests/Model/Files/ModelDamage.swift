import Foundation

@testable import CoreData

/// A field of all objects of one class in a compiled model, and what stands there instead.
struct ModelDamage {
    let className: String
    let field: String
    /// nil for a field that is missing.
    let value: CraftedValue?

    init(_ className: String, _ field: String, _ value: CraftedValue?) {
        (self.className, self.field, self.value) = (className, field, value)
    }

    /// The archive of a model with the damage done.
    func done(to data: Data) throws -> Data {
        guard case .dictionary(var list) = try PropertyList.read(data),
            case .array(var objects)? = list["$objects"]
        else { throw ArchiveError(reason: "it is no archive") }
        let place = objects.count
        var replacement: PropertyListValue?
        if let value {
            let crafted = try PropertyList.read(value.archive)
            guard case .array(let added)? = crafted["$objects"] else {
                throw ArchiveError(reason: "it is no archive")
            }
            objects += added.map { Self.moved($0, by: place) }
            replacement = crafted["$top"]?["root"].map { Self.moved($0, by: place) }
        }
        for index in objects[..<place].indices {
            guard case .dictionary(var fields) = objects[index],
                case .reference(let classPlace)? = fields["$class"],
                objects[classPlace]["$classname"]?.string == className
            else { continue }
            fields[field] = replacement
            objects[index] = .dictionary(fields)
        }
        list["$objects"] = .array(objects)
        return BinaryPropertyListWriter.data(.dictionary(list))
    }

    /// What was at some places of one list of objects, and is further back in another.
    private static func moved(_ value: PropertyListValue, by distance: Int) -> PropertyListValue {
        switch value {
        // The first place stands for nil in every list.
        case .reference(let place): .reference(place == 0 ? 0 : place + distance)
        case .array(let elements): .array(elements.map { moved($0, by: distance) })
        case .dictionary(let entries): .dictionary(entries.mapValues { moved($0, by: distance) })
        default: value
        }
    }
}
