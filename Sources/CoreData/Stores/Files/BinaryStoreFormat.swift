import Foundation

/// The format of binary stores, as Docs/FileFormats.md has it under "Binary and XML stores".
enum BinaryStoreFormat: StoreFileFormat {
    static let storeType = NSBinaryStoreType
    static let magic = Array("CDBINARY".utf8)
    static let version: UInt32 = 1
    /// Magic, version, checksum.
    static let headerSize = 16

    // MARK: Writing

    static func encode(_ image: StoreImage, url: URL?) throws -> [UInt8] {
        var body = ByteWriter()
        body.append(bytes: try MetadataCoding.encode(image.metadata, url: url))
        body.append(UInt32(image.entities.count))
        for entity in image.entities { write(entity, to: &body) }
        body.append(UInt32(image.links.count))
        for link in image.links {
            write(link.owner, to: &body)
            body.append(text: link.name)
            body.append(UInt32(link.members.count))
            for member in link.members { write(member, to: &body) }
        }
        var file = ByteWriter()
        file.bytes = magic
        file.append(version)
        // The checksum is over the body alone: the magic and the version before it are compared as
        // they are.
        file.append(CyclicChecksum.crc32(body.bytes[...]))
        file.bytes += body.bytes
        return file.bytes
    }

    private static func write(_ entity: StoreImage.Entity, to body: inout ByteWriter) {
        body.append(text: entity.name)
        body.append(entity.nextKey)
        body.append(UInt32(entity.columns.count))
        for column in entity.columns {
            body.append(text: column.name)
            body.append(column.kind.rawValue)
        }
        body.append(UInt32(entity.objects.count))
        for object in entity.objects {
            body.append(object.primaryKey)
            body.append(object.version)
            for value in object.values { write(value, to: &body) }
        }
    }

    private static func write(_ value: SlotValue, to body: inout ByteWriter) {
        switch value {
        // A mark before each value, so that a reader that meets nil needs nothing of the kind to go
        // on.
        case .null, .box: body.append(UInt8(0))
        case .integer(let integer):
            body.append(UInt8(1))
            body.append(integer)
        // Bits, so that each number comes back as it was, also what is not a number.
        case .real(let real):
            body.append(UInt8(1))
            body.append(real.bitPattern)
        case .text(let text):
            body.append(UInt8(1))
            body.append(text: text)
        case .bytes(let data):
            body.append(UInt8(1))
            body.append(bytes: data)
        case .reference(let reference):
            body.append(UInt8(1))
            write(reference, to: &body)
        }
    }

    private static func write(_ reference: RowReference, to body: inout ByteWriter) {
        body.append(UInt16(reference.entityIndex))
        body.append(reference.primaryKey)
    }

    // MARK: Reading

    static func metadata(in bytes: [UInt8], url: URL?) throws -> [String: Any] {
        var reader = try body(of: bytes, url: url)
        return try MetadataCoding.decode(reader.data(), url: url)
    }

    static func decode(_ bytes: [UInt8], url: URL?) throws -> StoreImage {
        var reader = try body(of: bytes, url: url)
        var image = StoreImage(metadata: try MetadataCoding.decode(reader.data(), url: url))
        // What the shortest one takes bounds the count by what is left of the file: a crafted count
        // can't make the loops below reserve more memory than the file justifies.
        let entityCount = try reader.count(minimumSize: 20)
        for _ in 0..<entityCount { image.entities.append(try entity(&reader)) }
        let linkCount = try reader.count(minimumSize: 18)
        for _ in 0..<linkCount {
            let owner = try reference(&reader)
            let name = try reader.text()
            let count = try reader.count(minimumSize: 10)
            let members = try (0..<count).map { _ in try reference(&reader) }
            image.links.append(StoreImage.Link(owner: owner, name: name, members: members))
        }
        // A file with more behind it would lose that with the next save, which writes all anew.
        guard reader.isAtEnd else { throw reader.damaged("there is something behind its end") }
        return image
    }

    /// What follows the header, which is checked.
    private static func body(of bytes: [UInt8], url: URL?) throws -> ByteReader {
        guard bytes.count >= headerSize, bytes.starts(with: magic) else {
            throw CocoaError.corruptFile(
                url,
                "it is not a binary store; check the path and the type of the store"
            )
        }
        var reader = ByteReader(bytes, from: magic.count, url: url)
        // Before the checksum, since a later version may count another one.
        guard try reader.integer(UInt32.self) == version else {
            throw reader.damaged("it is of a later version of the format")
        }
        guard try reader.integer(UInt32.self) == CyclicChecksum.crc32(bytes[headerSize...]) else {
            throw reader.damaged("its checksum is wrong; restore it from a backup")
        }
        return reader
    }

    private static func entity(_ reader: inout ByteReader) throws -> StoreImage.Entity {
        let name = try reader.text()
        let nextKey = try reader.integer(Int64.self)
        let columnCount = try reader.count(minimumSize: 5)
        let columns = try (0..<columnCount).map { _ in
            let name = try reader.text()
            guard let kind = StorageKind(rawValue: try reader.integer(UInt8.self)) else {
                throw reader.damaged("the property \(name) is of an unknown kind")
            }
            return StoreImage.Column(name: name, kind: kind)
        }
        var entity = StoreImage.Entity(name: name, nextKey: nextKey, columns: columns)
        // Each value has at least its mark, which bounds the memory that is reserved below.
        let objectCount = try reader.count(minimumSize: 12 + columns.count)
        entity.objects.reserveCapacity(objectCount)
        for _ in 0..<objectCount {
            let key = try reader.integer(Int64.self)
            let version = try reader.integer(Int32.self)
            let values = try columns.map { try value($0.kind, &reader) }
            entity.objects.append(
                StoreImage.Object(primaryKey: key, version: version, values: values)
            )
        }
        return entity
    }

    private static func value(
        _ kind: StorageKind,
        _ reader: inout ByteReader
    ) throws -> SlotValue {
        guard try reader.integer(UInt8.self) != 0 else { return .null }
        let value: SlotValue
        switch kind.form {
        case .integer, .boolean: value = .integer(try reader.integer(Int64.self))
        case .real: value = .real(Double(bitPattern: try reader.integer(UInt64.self)))
        case .text: value = .text(try reader.text())
        case .bytes: value = .bytes(try reader.data())
        case .reference: return .reference(try reference(&reader))
        case .members, .volatile: return .null
        }
        // The checksum guards against accidents only: whoever crafts a file can make one, so that
        // each value is checked against what its kind expects.
        guard AttributeKinds.kind(of: kind)?.isReadable(value) == true else {
            throw reader.damaged("a value is none of the type \(kind)")
        }
        return value
    }

    private static func reference(_ reader: inout ByteReader) throws -> RowReference {
        let entity = Int(try reader.integer(UInt16.self))
        let key = try reader.integer(Int64.self)
        guard (1...RowReference.maximumPrimaryKey).contains(key) else {
            throw reader.damaged("a key is out of range")
        }
        return RowReference(entityIndex: entity, primaryKey: key)
    }
}
