import Foundation

/// How the column of an attribute with external storage holds its value: marker byte 1 and the
/// bytes, or marker byte 2, the name of a file in ASCII, and a zero.
enum ExternalValue {
    /// From this size on a value gets a file of its own. Apple's threshold is not documented.
    static let externalByteCount = 128 << 10
    /// The size of a column that refers to a file: marker, UUID, zero.
    static let referenceByteCount = 38

    /// A value kept inside.
    static func encode(_ bytes: UnsafeRawBufferPointer) -> Data {
        var data = Data(capacity: bytes.count + 1)
        data.append(1)
        data.append(contentsOf: bytes)
        return data
    }

    /// A reference to a file.
    static func encode(fileNamed name: String) -> Data {
        Data([2]) + Data(name.utf8) + [0]
    }

    /// The value; nil if its file was removed.
    ///
    /// - Throws: What stops the file from being read, if it is there.
    static func decode(_ data: Data, file: StoreFile) throws -> Data? {
        if let name = fileName(data) { return try file.externalData.read(name) }
        // Without marker: written before the attribute allowed external storage.
        // Such a value that begins with 1 can't be told from one with a marker.
        return data.first == 1 ? data.dropFirst() : data
    }

    /// The name of the file that a column refers to; nil for a value that is inside.
    static func fileName(_ data: Data) -> String? {
        guard data.count == referenceByteCount, data.first == 2, data.last == 0 else { return nil }
        let name = String(decoding: data.dropFirst().dropLast(), as: UTF8.self)
        // Other bytes are a value that was written before it might be kept outside.
        return UUID(uuidString: name) == nil ? nil : name
    }
}

extension PropertySlot {
    /// Whether a store may keep the attribute's values in files of their own.
    var allowsExternalStorage: Bool {
        kind == BinaryKind.storage
            && (property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
    }
}
