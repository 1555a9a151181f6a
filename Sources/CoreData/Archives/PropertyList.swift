import Foundation

/// Why bytes from outside are no property list, no archive, or no compressed data.
struct ArchiveError: Error, Equatable {
    /// What is wrong, without a full stop.
    let reason: String
}

/// Property lists from outside, in binary or XML form.
///
/// Foundation's readers crash on crafted bytes on Linux; these check every offset and count, and
/// limit size, depth and the number of values.
enum PropertyList {
    /// How deep values may be nested; the lists of Core Data need about five levels.
    static let maximumDepth = 128
    /// The largest list that is read from a file.
    static let maximumByteCount = 16 << 20

    /// - Parameters:
    ///   - data: A binary or XML property list.
    ///   - maximumByteCount: More bytes are refused.
    static func read(
        _ data: Data,
        maximumByteCount: Int = PropertyList.maximumByteCount
    ) throws(ArchiveError) -> PropertyListValue {
        guard data.count <= maximumByteCount else {
            throw ArchiveError(reason: "it is larger than \(maximumByteCount >> 20) MiB")
        }
        if data.starts(with: "bplist0".utf8) { return try BinaryPropertyListReader.read(data) }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = data.starts(with: byteOrderMark) ? data.dropFirst(3) : data
        let first = start.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard first == UInt8(ascii: "<") else {
            throw ArchiveError(
                reason: data.isEmpty ? "it is empty" : "it does not begin like a property list"
            )
        }
        return try XMLPropertyListReader.read([UInt8](data))
    }
}
