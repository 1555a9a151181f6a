import TestSupport
import Testing

@testable import CoreData

@Suite struct PagedKeyMapTests {
    /// Does the same to a map and a dictionary, and compares them.
    private func compare(
        seed: UInt64,
        steps: Int,
        key: (inout SplitMix) -> Int64
    ) {
        var map = PagedKeyMap()
        var reference: [Int64: UInt] = [:]
        var random = SplitMix(seed: seed)
        var differences: [Int64] = []
        for _ in 0..<steps {
            let key = key(&random)
            // Of keys that are not there, too.
            if map[key] != reference[key] ?? 0 { differences.append(key) }
            if Int.random(in: 0..<4, using: &random) == 0 {
                map.set(key, 0)
                reference[key] = nil
            } else {
                let word = UInt.random(in: 1...UInt.max, using: &random)
                map.set(key, word)
                reference[key] = word
            }
        }
        #expect(differences.isEmpty)
        #expect(map.count == reference.count)
        let isSame = reference.allSatisfy { map[$0.key] == $0.value }
        #expect(isSame)
        var found: [Int64: UInt] = [:]
        map.forEach { found[$0] = $1 }
        #expect(found == reference)
        map.removeAll()
        #expect(map.count == 0)
        let isEmpty = reference.keys.allSatisfy { map[$0] == 0 }
        #expect(isEmpty)
        map.set(7, 1)
        #expect(map[7] == 1 && map.count == 1)
    }

    @Test func denseKeys() {
        compare(seed: 1, steps: 20_000) { .random(in: 1...5_000, using: &$0) }
    }

    @Test func negativeKeys() {
        compare(seed: 2, steps: 20_000) { .random(in: -3_000...3_000, using: &$0) }
    }

    /// Pages become empty again and again, and full.
    @Test func fewKeysOfAPage() {
        compare(seed: 5, steps: 20_000) { [1, 63, 64, 200, 511].randomElement(using: &$0) ?? 0 }
    }

    @Test func pagesThatAreFilledFromAnyEnd() {
        for base: Int64 in [-1_024, -512, 0, 512] {
            let keys = (base..<base + 512)
            var random = SplitMix(seed: 6)
            for order in [Array(keys), keys.reversed(), keys.shuffled(using: &random)] {
                var map = PagedKeyMap()
                for key in order { map.set(key, UInt(bitPattern: Int(key)) ^ 0xffff_0000) }
                #expect(map.count == 512)
                let isWhole = keys.allSatisfy { map[$0] == UInt(bitPattern: Int($0)) ^ 0xffff_0000 }
                #expect(isWhole)
                var found: [Int64] = []
                map.forEach { key, _ in found.append(key) }
                #expect(found.sorted() == Array(keys))
                for key in order { map.set(key, 0) }
                #expect(map.count == 0)
            }
        }
    }

    @Test func keysOfAllSizes() {
        compare(seed: 3, steps: 5_000) { random in
            let bits = Int.random(in: 1...63, using: &random)
            let key = Int64(bitPattern: random.next() >> UInt64(64 - bits))
            return Bool.random(using: &random) ? key : -key
        }
    }

    @Test func extremeKeys() {
        compare(seed: 4, steps: 2_000) { random in
            [Int64.min, Int64.min + 1, -513, -512, -1, 0, 1, 511, 512, 1 << 40, Int64.max]
                .randomElement(using: &random) ?? 0
        }
    }

    @Test func growthInBothDirections() {
        for step: Int64 in [1, 511, 512, 513, 100_000] {
            var map = PagedKeyMap()
            for index: Int64 in 0..<300 {
                map.set(index * step, UInt(index) + 1)
                map.set(-index * step - 1, UInt(index) + 1_000)
            }
            #expect(map.count == 600)
            for index: Int64 in 0..<300 {
                #expect(map[index * step] == UInt(index) + 1)
                #expect(map[-index * step - 1] == UInt(index) + 1_000)
            }
        }
    }

    @Test func outliersAreFoundWhenTheirPageComesLater() {
        var map = PagedKeyMap()
        map.set(1, 1)
        let far: Int64 = 1 << 40
        map.set(far, 2)
        map.removeAll()
        map.set(far + 1, 3)
        map.set(1, 4)
        map.set(far + 2, 5)
        #expect(map[far] == 0 && map[far + 1] == 3 && map[1] == 4 && map[far + 2] == 5)
        map.set(1, 6)
        map.set(1, 0)
        #expect(map[1] == 0 && map.count == 2)
    }
}
