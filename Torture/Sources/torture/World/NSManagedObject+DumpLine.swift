import CoreData
import Foundation

extension NSManagedObject {
    /// The line that `StoreDump` has of an object's row, made of what the object shows.
    var dumpLine: String {
        switch entity.name {
        case "Item":
            let owner = value(forKey: "owner") as? NSManagedObject
            let tags = (value(forKey: "tags") as? Set<NSManagedObject> ?? []).map(\.label).sorted()
            return Self.itemLine(
                label,
                value: value(forKey: "value") as? Int64,
                note: value(forKey: "note") as? String,
                owner: owner?.label,
                tags: tags,
                data: value(forKey: "data") as? Data
            )
        case "List":
            let entries = value(forKey: "entries") as? NSOrderedSet ?? []
            return Self.listLine(label, entries.compactMap { ($0 as? NSManagedObject)?.label })
        default: return "Z\((entity.name ?? "").uppercased()) \(label)"
        }
    }

    static func itemLine(
        _ name: String,
        value: Int64?,
        note: String?,
        owner: String?,
        tags: [String],
        data: Data?
    ) -> String {
        let texts = [
            name, value.map { "\($0)" } ?? "-", note ?? "-", owner ?? "-",
            tags.isEmpty ? "-" : tags.joined(separator: ","), "",
            data.map { Digest.of($0) } ?? "-",
        ]
        return "item " + texts.joined(separator: " ")
    }

    static func listLine(_ name: String, _ entries: [String]) -> String {
        "list \(name) " + entries.joined(separator: ",")
    }
}
