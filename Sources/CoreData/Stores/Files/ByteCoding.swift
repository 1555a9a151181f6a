import Foundation

/// Appends numbers (little-endian), texts and data (each behind its length) to bytes.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// - Precondition: Shorter than 4 GiB, as all values of a row are.
    mutating func append(bytes data: Data) {
        append(UInt32(data.count))
        bytes.append(contentsOf: data)
    }

    mutating func append(text: String) {
        append(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads what `ByteWriter` wrote, or what someone made to do harm: each access is checked.
struct ByteReader {
    private let bytes: [UInt8]
    private var position: Int
    private let url: URL?

    init(_ bytes: [UInt8], from position: Int, url: URL?) {
        self.bytes = bytes
        self.position = position
        self.url = url
    }

    var isAtEnd: Bool { position == bytes.count }

    func damaged(_ what: String) -> CocoaError { .corruptFile(url, what) }

    mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        let size = Integer.bitWidth / 8
        guard bytes.count - position >= size else { throw damaged("it ends too early") }
        defer { position += size }
        return bytes.withUnsafeBytes { buffer in
            Integer(littleEndian: buffer.loadUnaligned(fromByteOffset: position, as: Integer.self))
        }
    }

    /// A count of things of at least some size, no more than the rest of the file can hold.
    mutating func count(minimumSize: Int) throws -> Int {
        let count = Int(try integer(UInt32.self))
        // Divided and not multiplied, which could overflow.
        guard count <= (bytes.count - position) / minimumSize else {
            throw damaged("it ends too early")
        }
        return count
    }

    mutating func data() throws -> Data { Data(try slice()) }

    mutating func text() throws -> String {
        // Repaired text would be another value, and the next save would make it the stored one.
        guard let text = String(validating: try slice(), as: UTF8.self) else {
            throw damaged("a text is not valid UTF-8")
        }
        return text
    }

    private mutating func slice() throws -> ArraySlice<UInt8> {
        let length = try count(minimumSize: 1)
        defer { position += length }
        return bytes[position..<position + length]
    }
}

/// The cyclic redundancy check of ISO 3309, which Ethernet, gzip and PNG use: polynomial
/// 0xEDB88320, reflected.
enum CyclicChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        // A copy, since each access to a static property checks that it is initialized.
        let table = table
        return ~bytes.reduce(UInt32.max) { checksum, byte in
            table[Int((checksum ^ UInt32(byte)) & 0xFF)] ^ (checksum >> 8)
        }
    }
}
