import Foundation
import Testing

@testable import CoreData

@Suite struct DeflateTests {
    private func random(_ count: Int, below bound: UInt8) -> Data {
        var state: UInt64 = 7
        return Data(
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33) % bound
            }
        )
    }

    @Test func whatIsDeflatedIsInflated() throws {
        let texts = [
            Data(), Data([7]), Data(repeating: 0x41, count: 100_000), random(70_000, below: 255),
            random(70_000, below: 3), Data(String(repeating: "entity attribute ", count: 400).utf8),
        ]
        for data in texts {
            let compressed = Deflater.deflate(data)
            #expect(try Inflater.inflate(compressed, maximumByteCount: 200_000) == data)
        }
        #expect(Deflater.deflate(texts[5]).count < texts[5].count / 20)
    }

    /// Streams that zlib made, in its three kinds of blocks.
    @Test func streamsOfZlibAreInflated() throws {
        func inflated(_ base64: String) throws -> Data {
            let data = try #require(Data(base64Encoded: base64))
            return try Inflater.inflate(data, maximumByteCount: 1 << 16)
        }
        #expect(try inflated("AQUA+v9oZWxsbw==") == Data("hello".utf8))
        #expect(try inflated("y0jNyclXyECQAA==") == Data("hello hello hello".utf8))
        #expect(
            try inflated(
                "LZAJFoBACEIRuP+Z+8yr1WQRa6rEatL6HLV39BzvoK4O0nm43IMKrJ9plyadk2SncPbgDid0vgGcTdKz"
                    + "xYC25mhrQzClmAIGL1W9h56fBvUdRDEYwq6BRJpQ9UvN3KUEI007U7yCMAu79mIt8yryMDCzmjJbksjW"
                    + "WOzHEvP3/g9rfA=="
            ) == random(300, below: 5)
        )
    }

    /// Bits of numbers, each with its lowest first, as streams have them.
    private func stream(_ numbers: [(value: Int, bitCount: Int)]) -> Data {
        let bits = numbers.flatMap { number in
            (0..<number.bitCount).map { number.value >> $0 & 1 }
        }
        return Data(
            stride(from: 0, to: bits.count, by: 8).map { start in
                bits[start..<min(start + 8, bits.count)].reversed().reduce(0) {
                    $0 << 1 | UInt8($1)
                }
            }
        )
    }

    /// A last block with codes of its own.
    ///
    /// - Parameter orders: The lengths of the codes of lengths, in the order of the format.
    private func block(
        literals: Int = 257,
        distances: Int = 1,
        orders: [Int],
        _ rest: [(value: Int, bitCount: Int)]
    ) -> Data {
        stream(
            [(1, 1), (2, 2), (literals - 257, 5), (distances - 1, 5), (orders.count - 4, 4)]
                + orders.map { ($0, 3) } + rest + [(0, 32)]
        )
    }

    @Test func blocksWithImpossibleCodesAreRefused() {
        let repeatingNothing = block(orders: [1, 0, 0, 0], [(0, 1)])
        let tooLong = block(orders: [0, 0, 1, 0], [(0, 1), (127, 7), (0, 1), (127, 7)])
        let tooMuch = block(orders: [1, 1, 1, 0], [])
        // Zeros up to the codes for the end of a block and for a length; distances have one code,
        // for a distance that does not exist.
        let zeros = 1, one = 0
        let noDistance = block(
            literals: 258,
            distances: 31,
            orders: [0, 0, 1] + Array(repeating: 0, count: 14) + [1],
            [
                (zeros, 1), (127, 7), (zeros, 1), (107, 7), (one, 1), (one, 1), (zeros, 1), (19, 7),
                (one, 1), (1, 1), (0, 1),
            ]
        )
        let shortStored = stream([(1, 1), (0, 2), (0, 5), (5, 8)])
        for data in [repeatingNothing, tooLong, tooMuch, noDistance, shortStored] {
            let error = #expect(throws: ArchiveError.self) {
                try Inflater.inflate(data, maximumByteCount: 1 << 16)
            }
            #expect(error?.reason == "its compressed bytes are damaged")
        }
    }

    @Test func bytesOneByOneAreLimitedToo() throws {
        let data = Deflater.deflate(Data("abcdef".utf8))
        #expect(try Inflater.inflate(data, maximumByteCount: 6) == Data("abcdef".utf8))
        let error = #expect(throws: ArchiveError.self) {
            try Inflater.inflate(data, maximumByteCount: 5)
        }
        #expect(error?.reason.contains("when decompressed") == true)
    }

    @Test func streamsThatGrowTooLargeOrLeadOutsideAreRefused() {
        let bomb = Deflater.deflate(Data(repeating: 0, count: 1 << 20))
        #expect(bomb.count < 10_000)
        #expect(throws: ArchiveError.self) {
            try Inflater.inflate(bomb, maximumByteCount: 1 << 19)
        }
        for bytes in [[], [0x07], [0x01, 5, 0, 0, 0], [0x03 | 4, 0xFF, 0xFF], [0x05]] as [[UInt8]] {
            #expect(throws: ArchiveError.self) {
                try Inflater.inflate(Data(bytes), maximumByteCount: 1 << 16)
            }
        }
    }
}
