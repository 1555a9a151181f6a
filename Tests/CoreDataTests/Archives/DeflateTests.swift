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
