/// A page of a `PagedKeyMap`: 512 places, and the words of those that are set side by side.
///
/// The keys that a context has objects of lie scattered over its tables, as a rule. So a page has bits
/// that say which places are set, and behind them words in the order of their places, without room for
/// the others. The bits of a large map stay in the processor's cache, and so do the words of a map of few
/// keys: whether a key is there, and what its word is, is known without waiting for memory.
///
/// > Threading: Confined to its map's lock or queue.
struct KeyPage {
    /// Which of 64 places are set, and which have room for a word. A word that is removed leaves its
    /// room to the next one of its place, or until the page is empty: closing each gap would cost those
    /// that let go of a whole page.
    private struct Group {
        var present: UInt = 0
        var placed: UInt = 0
    }
    private struct Counts {
        /// How many places of all groups before the second, the third and so on have room, in nine bits
        /// each.
        var placedBefore: UInt = 0
        var present: UInt16 = 0
        var placed: UInt16 = 0
        var capacity: UInt16
    }
    private static let groupSize = 64
    private static let groupCount = 8
    private static let bitsOfCount: UInt = 9
    /// A one in each of the counts.
    private static let ones: UInt = 0x0040_2010_0804_0201
    private static let count = groupSize * groupCount
    /// Few steps, for each leaves memory behind that is good for little else. Of scattered keys a page has
    /// some dozen, and of keys in a row all.
    private static let capacities = (first: 16, second: 64, last: count)
    private static let groupsOffset = MemoryLayout<Counts>.stride
    private static let wordsOffset = groupsOffset + groupCount * MemoryLayout<Group>.stride

    private var memory: UnsafeMutableRawPointer

    /// An empty page; `deallocate()` ends it.
    static func make() -> KeyPage { KeyPage(memory: newMemory(capacity: capacities.first)) }

    private static func newMemory(capacity: Int) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: wordsOffset + capacity * MemoryLayout<UInt>.stride,
            // A line of the processor's cache.
            alignment: 64
        )
        memory.initializeMemory(as: Counts.self, to: Counts(capacity: UInt16(capacity)))
        (memory + groupsOffset)
            .initializeMemory(as: Group.self, repeating: Group(), count: groupCount)
        return memory
    }

    func deallocate() { memory.deallocate() }

    @inline(__always) private var counts: UnsafeMutablePointer<Counts> {
        memory.assumingMemoryBound(to: Counts.self)
    }
    @inline(__always) private var groups: UnsafeMutablePointer<Group> {
        (memory + Self.groupsOffset).assumingMemoryBound(to: Group.self)
    }
    @inline(__always) private var words: UnsafeMutablePointer<UInt> {
        (memory + Self.wordsOffset).assumingMemoryBound(to: UInt.self)
    }

    /// Which word is that of a place, or would be.
    @inline(__always) private func index(_ group: Int, _ bit: UInt) -> Int {
        let shift = UInt(bitPattern: group &- 1) &* Self.bitsOfCount
        let before = group == 0 ? 0 : counts.pointee.placedBefore &>> shift & 511
        return Int(before) &+ (groups[group].placed & (bit &- 1)).nonzeroBitCount
    }

    /// The word at a place, or 0.
    @inline(__always) subscript(place: Int) -> UInt {
        let group = place / Self.groupSize, bit: UInt = 1 &<< UInt(place % Self.groupSize)
        return groups[group].present & bit == 0 ? 0 : words[index(group, bit)]
    }

    /// Sets the word at a place; 0 removes it.
    ///
    /// - Returns: By how many there are more words than before.
    @inline(__always) mutating func set(_ place: Int, _ word: UInt) -> Int {
        let group = place / Self.groupSize, bit: UInt = 1 &<< UInt(place % Self.groupSize)
        let had = groups[group].present & bit != 0
        guard word != 0 else {
            if had { remove(group, bit) }
            return had ? -1 : 0
        }
        if groups[group].placed & bit == 0 { makeRoom(group, bit) }
        words[index(group, bit)] = word
        guard !had else { return 0 }
        groups[group].present |= bit
        counts.pointee.present += 1
        return 1
    }

    @inline(__always) private func remove(_ group: Int, _ bit: UInt) {
        groups[group].present &= ~bit
        counts.pointee.present -= 1
        if counts.pointee.present == 0 {
            groups.update(repeating: Group(), count: Self.groupCount)
            counts.pointee.placed = 0
            counts.pointee.placedBefore = 0
        }
    }

    /// Makes room for a word, mostly behind the last one: keys come in order, as a rule.
    @inline(__always) private mutating func makeRoom(_ group: Int, _ bit: UInt) {
        let count = Int(counts.pointee.placed)
        if count == counts.pointee.capacity { grow() }
        let index = index(group, bit)
        if index < count {
            (words + index + 1).update(from: words + index, count: count - index)
        }
        groups[group].placed |= bit
        counts.pointee.placed += 1
        // One more before each of the groups behind this one.
        let shift = UInt(bitPattern: group) &* Self.bitsOfCount
        counts.pointee.placedBefore += Self.ones &<< shift & (.max >> 1)
    }

    @inline(never) private mutating func grow() {
        let capacity = Int(counts.pointee.capacity)
        let isFirst = capacity == Self.capacities.first
        let larger = isFirst ? Self.capacities.second : Self.capacities.last
        let grown = Self.newMemory(capacity: larger)
        let size = Self.wordsOffset + capacity * MemoryLayout<UInt>.stride
        grown.copyMemory(from: memory, byteCount: size)
        memory.deallocate()
        memory = grown
        counts.pointee.capacity = UInt16(larger)
    }

    /// Calls a function with the words that are there and their places, in order.
    func forEach(_ body: (Int, UInt) -> Void) {
        for group in 0..<Self.groupCount {
            var bits = groups[group].present
            while bits != 0 {
                let bit = bits & ~(bits &- 1)
                body(group * Self.groupSize + bits.trailingZeroBitCount, words[index(group, bit)])
                bits &= bits - 1
            }
        }
    }
}
