import CoreData

/// A model with an attribute of each type; each is called as its type is.
enum ValueModel {
    static let types: [(key: String, type: NSAttributeType)] = [
        ("int16", .integer16AttributeType), ("int32", .integer32AttributeType),
        ("int64", .integer64AttributeType), ("flag", .booleanAttributeType),
        ("double", .doubleAttributeType), ("float", .floatAttributeType),
        ("decimal", .decimalAttributeType), ("date", .dateAttributeType),
        ("text", .stringAttributeType), ("data", .binaryDataAttributeType),
        ("outside", .binaryDataAttributeType), ("uuid", .UUIDAttributeType),
        ("uri", .URIAttributeType), ("object", .transformableAttributeType),
    ]

    /// Shared: a model in use does not change.
    static let model = make()

    private static func make() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Thing"
        entity.managedObjectClassName = "NSManagedObject"
        let keys = [("thingID", NSAttributeType.stringAttributeType)] + types
        entity.properties = keys.map { key, type in
            let attribute = NSAttributeDescription()
            attribute.name = key
            attribute.attributeType = type
            attribute.isOptional = true
            attribute.allowsExternalBinaryDataStorage = key == "outside"
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}

/// Values as texts that are the same only for values that are, bit by bit.
enum Exact {
    static func text(_ value: Any?, of key: String) -> String {
        guard let value, !(value is NSNull) else { return "nil" }
        switch (key, value) {
        case ("double", let number as NSNumber): return "double \(bits(number.doubleValue))"
        case ("float", let number as NSNumber): return "float \(number.floatValue.bitPattern)"
        case ("decimal", let number as NSDecimalNumber): return "decimal \(number.stringValue)"
        case ("object", _): return object(value)
        case (_, let number as NSNumber): return "number \(number.int64Value)"
        case (_, let date as Date):
            return "date \(bits(date.timeIntervalSinceReferenceDate))"
        case (_, let text as String): return "text \(Digest.of(Data(text.utf8)))"
        case (_, let data as Data): return "data \(Digest.of(data))"
        case (_, let uuid as UUID): return "uuid \(uuid.uuidString)"
        case (_, let url as URL): return "url \(url.absoluteString)"
        default: return "\(type(of: value)) \(value)"
        }
    }

    /// Collections without an order, in one.
    private static func object(_ value: Any) -> String {
        switch value {
        case let dictionary as NSDictionary:
            let pairs = dictionary.allKeys.map { key in
                "\(object(key)): \(dictionary.object(forKey: key).map(object) ?? "-")"
            }
            return "{\(pairs.sorted().joined(separator: ", "))}"
        case let set as NSSet: return "(\(set.map(object).sorted().joined(separator: ", ")))"
        case let set as NSOrderedSet: return "<\(set.map(object).joined(separator: ", "))>"
        case let array as NSArray: return "[\(array.map(object).joined(separator: ", "))]"
        case let number as NSNumber: return "number \(number.stringValue)"
        default: return text(value, of: "")
        }
    }

    /// SQLite keeps a whole number instead of a real one where that says the same, so that the sign
    /// of a zero is lost (https://www.sqlite.org/datatype3.html).
    private static func bits(_ number: Double) -> UInt64 { (number == 0 ? 0 : number).bitPattern }
}
