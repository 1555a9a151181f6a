import Foundation
import Markup

/// Makes an image of the elements of an XML store.
struct XMLStoreReading {
    private var result: StoreImage
    private let url: URL?
    private var places: [String: Int] = [:]
    /// By entity, then by property.
    private var columns: [[String: Int]] = []

    init(metadata: [String: Any], url: URL?) {
        result = StoreImage(metadata: metadata)
        self.url = url
    }

    func image(of root: MarkupElement) throws -> StoreImage {
        var reading = self
        for element in root.children(named: "entity") {
            let place = reading.place(of: try reading.attribute("name", element))
            guard let key = Int64(try reading.attribute("nextKey", element)) else {
                throw reading.damaged(element, "nextKey is no number")
            }
            reading.result.entities[place].nextKey = key
        }
        for element in root.children(named: "object") { try reading.read(element) }
        return reading.filled
    }

    /// Columns come up as objects use them, so the first objects have fewer values than the last.
    private var filled: StoreImage {
        var image = result
        for index in image.entities.indices {
            let count = image.entities[index].columns.count
            image.entities[index].objects = image.entities[index].objects.map { object in
                let missing = count - object.values.count
                guard missing > 0 else { return object }
                return StoreImage.Object(
                    primaryKey: object.primaryKey,
                    version: object.version,
                    values: object.values + [SlotValue](repeating: .null, count: missing)
                )
            }
        }
        return image
    }

    private mutating func place(of entity: String) -> Int {
        if let place = places[entity] { return place }
        places[entity] = result.entities.count
        result.entities.append(StoreImage.Entity(name: entity, nextKey: 0, columns: []))
        columns.append([:])
        return result.entities.count - 1
    }

    private mutating func read(_ element: MarkupElement) throws {
        let entity = place(of: try attribute("type", element))
        let owner = try reference(try attribute("id", element), element)
        guard owner.entityIndex == entity, let version = Int32(try attribute("version", element))
        else { throw damaged(element, "id or version is not that of such an object") }
        var values = [SlotValue](repeating: .null, count: result.entities[entity].columns.count)
        for child in element.children {
            let name = try attribute("name", child)
            switch child.name {
            case "attribute":
                let kind = try kind(of: child)
                set(try value(of: child, kind), name, kind, entity, &values)
            case "relationship":
                let members = try attribute("idrefs", child).split(separator: " ").map {
                    try reference(String($0), child)
                }
                result.links.append(StoreImage.Link(owner: owner, name: name, members: members))
                // The element alone does not tell a to-one from a to-many with one member: it
                // counts as both here, and the model takes the one that it knows.
                if members.count == 1 {
                    set(.reference(members[0]), name, .toOne, entity, &values)
                }
            default: throw damaged(child, "<\(child.name)> is out of place")
            }
        }
        result.entities[entity].objects.append(
            StoreImage.Object(primaryKey: owner.primaryKey, version: version, values: values)
        )
    }

    private mutating func set(
        _ value: SlotValue,
        _ name: String,
        _ kind: StorageKind,
        _ entity: Int,
        _ values: inout [SlotValue]
    ) {
        let column: Int
        if let known = columns[entity][name] {
            column = known
        } else {
            column = values.count
            columns[entity][name] = column
            result.entities[entity].columns.append(StoreImage.Column(name: name, kind: kind))
            values.append(.null)
        }
        // The first object decides on the kind of a column; a value of another one is left out.
        guard result.entities[entity].columns[column].kind == kind else { return }
        values[column] = value
    }

    // MARK: Values

    private func kind(of element: MarkupElement) throws -> StorageKind {
        let type = try attribute("type", element)
        guard let kind = AttributeKinds.kind(markupName: type) else {
            throw damaged(element, "there is no attribute type \(type)")
        }
        return kind.storage
    }

    private func value(of element: MarkupElement, _ kind: StorageKind) throws -> SlotValue {
        let value = try form(of: element, kind.form)
        guard AttributeKinds.kind(of: kind)?.isReadable(value) == true else {
            throw damaged(element, "it is none of the type \(kind)")
        }
        return value
    }

    private func form(of element: MarkupElement, _ form: StorageKind.Form) throws -> SlotValue {
        let text = element.text
        switch form {
        case .integer, .boolean:
            guard let integer = Int64(text) else { throw damaged(element, "it is no integer") }
            return .integer(integer)
        case .real:
            guard let real = Double(text) else { throw damaged(element, "it is no number") }
            return .real(real)
        case .text:
            guard element["encoding"] == "base64" else { return .text(text) }
            guard let data = Data(base64Encoded: text),
                let decoded = String(validating: data, as: UTF8.self)
            else { throw damaged(element, "it is no base64 of a text") }
            return .text(decoded)
        case .bytes:
            guard let data = Data(base64Encoded: text) else {
                throw damaged(element, "it is no base64")
            }
            return .bytes(data)
        case .reference, .members, .volatile:
            throw damaged(element, "it is no attribute")
        }
    }

    /// The row that an ID such as `Person/12` names.
    private mutating func reference(
        _ id: String,
        _ element: MarkupElement
    ) throws -> RowReference {
        guard let slash = id.lastIndex(of: "/"), let key = Int64(id[id.index(after: slash)...]),
            (1...RowReference.maximumPrimaryKey).contains(key)
        else { throw damaged(element, "an ID is malformed") }
        // An entity may be referred to before it has an object of its own, so that its place is
        // made here.
        let name = String(id[..<slash])
        let entity = place(of: name.removingPercentEncoding ?? name)
        // References keep the entity in 16 bits.
        guard entity <= UInt16.max else { throw damaged(element, "there are too many entities") }
        return RowReference(entityIndex: entity, primaryKey: key)
    }

    private func attribute(_ name: String, _ element: MarkupElement) throws -> String {
        guard let value = element[name] else { throw damaged(element, "it has no \(name)") }
        return value
    }

    private func damaged(_ element: MarkupElement, _ what: String) -> CocoaError {
        .corruptFile(url, "line \(element.line), <\(element.name)>: \(what)")
    }
}
