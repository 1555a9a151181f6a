import Foundation

/// A short name for bytes: their number and the FNV-1a hash over words of eight.
enum Digest {
    static func of(_ data: Data) -> String {
        data.withUnsafeBytes { of($0) }
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let words = bytes.count / 8
        for index in 0..<words {
            hash ^= bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
            hash = hash &* 0x0000_0100_0000_01b3
        }
        for index in (words * 8)..<bytes.count {
            hash ^= UInt64(bytes[index])
            hash = hash &* 0x0000_0100_0000_01b3
        }
        return "\(bytes.count):" + String(hash, radix: 16)
    }
}
