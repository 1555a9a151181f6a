import SeededRandom
import Testing

@testable import MergeBench

@Suite struct ItemTests {
    @Test func sameSeedAndNumberGiveTheSameItem() {
        #expect(Item(7, seed: 17) == Item(7, seed: 17))
        #expect(Item(7, seed: 17) != Item(8, seed: 17))
        #expect(Item(7, seed: 17).code != Item(7, seed: 18).code)
    }

    /// The first numbers that the authors' own program gives for the seed 1234567.
    @Test func generatorIsSplitMix64() {
        var random = SplitMix(seed: 1_234_567)
        let numbers = (0..<3).map { _ in random.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ]
        )
    }

    @Test func categoriesAreAboutEquallyLarge() {
        let counts = Dictionary(
            grouping: (1...5_000).map { Item($0, seed: 17).category },
            by: \.self
        )
        .mapValues(\.count)
        #expect(counts.keys.sorted() == (0..<50).map { Int64($0) })
        #expect(counts.values.allSatisfy { (50...170).contains($0) })
    }

    @Test func checksumIsFNV1a() {
        // The published value for "foobar" is 0x85944171f73967e8; the end mark 0xff comes after it.
        var sum = Checksum()
        sum.add("foobar")
        let expected = (0x8594_4171_f739_67e8 ^ 0xff as UInt64) &* 0x100_0000_01b3
        #expect(sum.text == String(expected, radix: 16))
        var other = Checksum()
        other.add("foo")
        other.add("bar")
        #expect(other.text != sum.text)
    }
}
