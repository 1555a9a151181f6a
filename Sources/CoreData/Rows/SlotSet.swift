/// A set of slot numbers; the first 64 need no allocation.
struct SlotSet: Equatable, Sendable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    @inline(__always) var isEmpty: Bool { low == 0 && high.isEmpty }

    @inline(__always) func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
        return highContains(slot)
    }

    @inline(__always) mutating func insert(_ slot: Int) {
        if slot < 64 { low |= 1 << UInt64(slot) } else { insertHigh(slot) }
    }

    mutating func remove(_ slot: Int) {
        if slot < 64 { low &= ~(1 << UInt64(slot)); return }
        let word = slot / 64 - 1
        guard word < high.count else { return }
        high[word] &= ~(1 << UInt64(slot % 64))
        while high.last == 0 { high.removeLast() }
    }

    mutating func formUnion(_ other: SlotSet) {
        low |= other.low
        for (word, bits) in other.high.enumerated() {
            if word < high.count { high[word] |= bits } else { high.append(bits) }
        }
    }

    /// The members, ascending.
    var members: [Int] {
        var result: [Int] = []
        var bits = low
        while bits != 0 {
            result.append(bits.trailingZeroBitCount)
            bits &= bits - 1
        }
        for (word, highBits) in high.enumerated() {
            var bits = highBits
            while bits != 0 {
                result.append((word + 1) * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
        return result
    }

    @inline(never) private func highContains(_ slot: Int) -> Bool {
        let word = slot / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(slot % 64)) != 0
    }

    @inline(never) private mutating func insertHigh(_ slot: Int) {
        let word = slot / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(slot % 64)
    }
}

extension SlotSet: Hashable {}
