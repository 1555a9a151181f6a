import CSwiftRuntime

/// A page of a `PagedKeyMap`: 512 entries, and before them a bit for each that is there.
///
/// These few bytes stay in the processor's cache where the entries of a large map don't: that a key is
/// missing, which most keys of a new context are, is known without waiting for memory.
///
/// > Threading: Confined to its map's lock or queue.
struct KeyPage {
    private static let count = 512
    private static let bitWordCount = count / UInt.bitWidth
    private let words: UnsafeMutablePointer<UInt>

    /// An empty page; `deallocate()` ends it.
    static func make() -> KeyPage {
        let words = UnsafeMutablePointer<UInt>.allocate(capacity: bitWordCount + count)
        words.initialize(repeating: 0, count: bitWordCount + count)
        return KeyPage(words: words)
    }

    func deallocate() { words.deallocate() }

    /// Where an entry is; its word is that of the last one that was set.
    @inline(__always) private func entry(_ place: Int) -> UnsafeMutablePointer<UInt> {
        words + (Self.bitWordCount + place)
    }

    @inline(__always) private func has(_ place: Int) -> Bool {
        words[place / UInt.bitWidth] & (1 << UInt(place % UInt.bitWidth)) != 0
    }

    /// The word at a place, or 0.
    @inline(__always) subscript(place: Int) -> UInt { has(place) ? entry(place).pointee : 0 }

    /// Has the processor's cache fetch an entry.
    @inline(__always) func bringNear(_ place: Int) {
        runtime_prefetchForWriting(entry(place))
    }

    /// Sets the word at a place; 0 removes it.
    ///
    /// - Returns: By how many there are more entries than before.
    @inline(__always) func set(_ place: Int, _ word: UInt) -> Int {
        let had = has(place) ? 1 : 0
        let bit: UInt = 1 << UInt(place % UInt.bitWidth)
        guard word != 0 else {
            words[place / UInt.bitWidth] &= ~bit
            return -had
        }
        words[place / UInt.bitWidth] |= bit
        entry(place).pointee = word
        return 1 - had
    }

    /// Calls a function with the entries that are there and their places, in order.
    func forEach(_ body: (Int, UInt) -> Void) {
        for index in 0..<Self.bitWordCount {
            var bits = words[index]
            while bits != 0 {
                let place = index * UInt.bitWidth + bits.trailingZeroBitCount
                body(place, entry(place).pointee)
                bits &= bits - 1
            }
        }
    }
}
