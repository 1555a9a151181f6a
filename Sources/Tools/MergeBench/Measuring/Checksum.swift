/// A sum over values in order, the same for the same values: FNV-1a with 64 bits (Fowler, Noll, Vo;
/// draft-eastlake-fnv).
struct Checksum {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ value: Int64) {
        // In a fixed order of bytes, so that sums of different machines can be compared.
        withUnsafeBytes(of: value.littleEndian) { bytes in
            for byte in bytes { add(byte) }
        }
    }

    /// Adds the bytes of a text and its end.
    mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // UTF-8 never has this byte, so "ab" and "c" give another sum than "a" and "bc".
        add(0xff as UInt8)
    }

    private mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01b3
    }

    /// The sum, in 16 hexadecimal digits.
    var text: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
