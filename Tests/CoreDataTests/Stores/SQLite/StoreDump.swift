import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What the objects of a context's stores say, in the form of `Tests/StoreChecker/dump_store.py`.
enum StoreDump {
    static func lines(_ context: NSManagedObjectContext) throws -> [String] {
        let entities = context.persistentStoreCoordinator?.managedObjectModel.entities ?? []
        var lines: [String] = []
        for entity in entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: try #require(entity.name))
            request.includesSubentities = false
            for object in try context.fetch(request) {
                lines.append(name(object))
                for property in entity.properties where !property.isTransient {
                    guard let value = value(property, of: object) else { continue }
                    lines.append("\(name(object)) \(property.name)=\(value)")
                }
            }
        }
        return lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func name(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "")/\(object.objectID.primaryKey)"
    }

    private static func value(
        _ property: NSPropertyDescription,
        of object: NSManagedObject
    ) -> String? {
        switch property {
        case let attribute as NSAttributeDescription: value(attribute, of: object)
        case let relationship as NSRelationshipDescription: value(relationship, of: object)
        default: nil
        }
    }

    private static func value(
        _ relationship: NSRelationshipDescription,
        of object: NSManagedObject
    ) -> String? {
        let value = object.value(forKey: relationship.name)
        guard relationship.isToMany else { return (value as? NSManagedObject).map(name) }
        let keys =
            (value as? NSOrderedSet)?.array.compactMap { ($0 as? NSManagedObject)?.objectID }
            .map(\.primaryKey)
            ?? (value as? Set<NSManagedObject> ?? []).map(\.objectID.primaryKey).sorted()
        return keys.isEmpty ? nil : "[\(keys.map(String.init).joined(separator: ","))]"
    }

    private static func value(
        _ attribute: NSAttributeDescription,
        of object: NSManagedObject
    ) -> String? {
        if attribute.attributeType == .transformableAttributeType {
            // As it is stored: the class of the value may not be here.
            guard let slot = object.layout.slot(named: attribute.name)?.index, let row = object.row,
                !row.isNull(slot)
            else { return nil }
            return digest(row.bytes(slot))
        }
        switch (object.value(forKey: attribute.name), attribute.attributeType) {
        case (nil, _): return nil
        case (let number as NSDecimalNumber, .decimalAttributeType):
            return number.decimalValue.description
        case (let number as NSNumber, .doubleAttributeType): return bits(number.doubleValue)
        case (let number as NSNumber, .floatAttributeType): return bits(number.doubleValue)
        case (let number as NSNumber, _): return "\(number.int64Value)"
        case (let date as Date, _): return bits(date.timeIntervalSinceReferenceDate)
        case (let text as String, _): return digest(Data(text.utf8))
        case (let url as URL, _): return digest(Data(url.absoluteString.utf8))
        case (let data as Data, _): return digest(data)
        case (let uuid as UUID, _): return uuid.uuidString
        case (let other?, _): return "unexpected \(type(of: other))"
        }
    }

    private static func bits(_ real: Double) -> String {
        let text = String(real.bitPattern, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    private static func digest(_ data: Data) -> String {
        SHA2.sha256(data).prefix(8).map { String(format: "%02x", $0) }.joined()
    }
}

/// The checker and the reader in Python, which know a store by its documented format only.
enum StoreScripts {
    /// The lines that a script prints about a store.
    static func run(_ script: String, _ store: URL, model: URL? = nil) throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../StoreChecker").standardizedFileURL
        return try ChildProgram.lines(
            ["python3", "-B", folder.appendingPathComponent("\(script).py").path]
                + (model.map { ["--model", $0.path] } ?? []) + [store.path],
            withErrors: true,
            succeeds: false
        )
    }

    /// What the checker finds wrong.
    static func problems(_ store: URL, model: URL? = nil) throws -> [String] {
        let lines = try run("check_store", store, model: model)
        let summary = try #require(lines.last)
        try #require(summary.contains("problem(s) in"), "\(lines.joined(separator: "\n"))")
        return lines.dropLast()
    }
}
