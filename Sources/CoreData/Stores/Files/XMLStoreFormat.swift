import Foundation
import Markup

/// The format of XML stores, as Docs/FileFormats.md has it under "Binary and XML stores".
enum XMLStoreFormat: StoreFileFormat {
    static let storeType = NSXMLStoreType
    static let version = "1"
    static let limits = MarkupReader.Limits(
        byteCount: 1 << 30,
        depth: MarkupReader.Limits.modelFile.depth,
        elementCount: 20_000_000
    )
    static func encode(_ image: StoreImage, url: URL?) throws -> [UInt8] {
        var writer = MarkupWriter()
        writer.open("database", [("version", version)])
        writer.open("metadata")
        let metadata = try MetadataCoding.value(of: image.metadata, url: url)
        try MarkupPropertyList.write(metadata, to: &writer, url: url)
        writer.close("metadata")
        for entity in image.entities where entity.nextKey > 0 {
            writer.empty("entity", [("name", entity.name), ("nextKey", "\(entity.nextKey)")])
        }
        var links: [RowReference: [StoreImage.Link]] = [:]
        for link in image.links { links[link.owner, default: []].append(link) }
        for (index, entity) in image.entities.enumerated() {
            for object in entity.objects {
                let reference = RowReference(entityIndex: index, primaryKey: object.primaryKey)
                write(object, reference, links[reference] ?? [], image, &writer)
            }
        }
        writer.close("database")
        // Refused now, when the rows are still in memory: a file beyond the reader's limit could
        // never be opened again.
        guard writer.bytes.count <= limits.byteCount else {
            throw CocoaError.storeSave(
                url,
                "it would be larger than 1 GiB, which is more than is read; use an SQLite store"
            )
        }
        return writer.bytes
    }

    private static func write(
        _ object: StoreImage.Object,
        _ reference: RowReference,
        _ links: [StoreImage.Link],
        _ image: StoreImage,
        _ writer: inout MarkupWriter
    ) {
        let entity = image.entities[reference.entityIndex]
        writer.open(
            "object",
            [
                ("type", entity.name), ("id", id(reference, image)),
                ("version", "\(object.version)"),
            ]
        )
        for (column, value) in zip(entity.columns, object.values) {
            if case .reference(let target) = value {
                write([target], of: column.name, image, &writer)
            } else if let type = AttributeKinds.kind(of: column.kind)?.markupName {
                write(value, [("name", column.name), ("type", type)], &writer)
            }
        }
        for link in links { write(link.members, of: link.name, image, &writer) }
        writer.close("object")
    }

    private static func write(
        _ value: SlotValue,
        _ attributes: [(String, String)],
        _ writer: inout MarkupWriter
    ) {
        switch value {
        case .null, .reference, .box: return
        case .integer(let integer): writer.element("attribute", "\(integer)", attributes)
        case .real(let real): writer.element("attribute", "\(real)", attributes)
        // Not all texts can stand in XML, escaped or not: the others are written as data.
        case .text(let text) where MarkupWriter.canHold(text):
            writer.element("attribute", text, attributes)
        case .text(let text):
            writer.element(
                "attribute",
                Data(text.utf8).base64EncodedString(),
                attributes + [("encoding", "base64")]
            )
        case .bytes(let data): writer.element("attribute", data.base64EncodedString(), attributes)
        }
    }

    private static func write(
        _ members: [RowReference],
        of name: String,
        _ image: StoreImage,
        _ writer: inout MarkupWriter
    ) {
        let ids = members.map { id($0, image) }.joined(separator: " ")
        writer.empty("relationship", [("name", name), ("idrefs", ids)])
    }

    /// The name and the key, without the white space that stands between IDs.
    private static func id(_ reference: RowReference, _ image: StoreImage) -> String {
        let name = image.entities[reference.entityIndex].name
        let plain = name.addingPercentEncoding(withAllowedCharacters: idCharacters) ?? name
        return "\(plain)/\(reference.primaryKey)"
    }
    private static let idCharacters = CharacterSet.whitespacesAndNewlines
        .union(CharacterSet(charactersIn: "%")).inverted

    // MARK: Reading

    static func metadata(in bytes: [UInt8], url: URL?) throws -> [String: Any] {
        try metadata(of: try root(of: bytes, url: url), url: url)
    }

    static func decode(_ bytes: [UInt8], url: URL?) throws -> StoreImage {
        let root = try root(of: bytes, url: url)
        let reading = XMLStoreReading(metadata: try metadata(of: root, url: url), url: url)
        return try reading.image(of: root)
    }

    private static func root(of bytes: [UInt8], url: URL?) throws -> MarkupElement {
        let root: MarkupElement
        do {
            root = try MarkupReader.read(bytes, limits: limits)
        } catch {
            throw CocoaError.corruptFile(url, "line \(error.line): \(error.message)")
        }
        // Another version means another meaning of the same elements.
        guard root.name == "database", root["version"] == version else {
            throw CocoaError.corruptFile(
                url,
                "it is not an XML store of this format; check the path and the type of the store"
            )
        }
        return root
    }

    private static func metadata(of root: MarkupElement, url: URL?) throws -> [String: Any] {
        guard let list = root.children(named: "metadata").first?.children.first else {
            throw CocoaError.corruptFile(url, "the store has no metadata")
        }
        return try MetadataCoding.decode(list, url: url)
    }
}
