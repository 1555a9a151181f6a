import Foundation

/// Compresses bytes to a raw DEFLATE stream (RFC 1951); the same bytes give the same stream.
///
/// One block in the fixed code, with repetitions found through a table of three-byte runs: larger
/// than what zlib makes, and a fraction of its code.
struct Deflater {
    private static let window = 32_768
    private static let longestMatch = 258
    /// How many earlier places with the same run are looked at.
    private static let chainLength = 32

    private var output: [UInt8] = []
    private var bits: UInt32 = 0
    private var bitCount = 0

    static func deflate(_ data: Data) -> Data {
        var deflater = Deflater()
        deflater.run([UInt8](data))
        return Data(deflater.output)
    }

    private mutating func run(_ input: [UInt8]) {
        // The header of a block: one bit for the last one, two bits for the fixed code.
        put(1, 1)
        put(1, 2)
        var latest: [Int: Int] = [:]
        var earlier = [Int](repeating: -1, count: input.count)
        var position = 0
        while position < input.count {
            let match = Self.longestMatch(input, position, latest, earlier)
            let step = match?.length ?? 1
            if let match {
                putLength(match.length)
                putDistance(match.distance)
            } else {
                putLiteral(Int(input[position]))
            }
            // Places inside of a repetition are entered as well, since the next one may begin
            // there.
            for place in position..<position + step where place + 2 < input.count {
                let run = Self.run(input, place)
                earlier[place] = latest[run] ?? -1
                latest[run] = place
            }
            position += step
        }
        putLiteral(256)
        if bitCount > 0 { put(0, 8 - bitCount) }
    }

    // MARK: Repetitions

    private static func run(_ input: [UInt8], _ place: Int) -> Int {
        Int(input[place]) << 16 | Int(input[place + 1]) << 8 | Int(input[place + 2])
    }

    private static func longestMatch(
        _ input: [UInt8],
        _ position: Int,
        _ latest: [Int: Int],
        _ earlier: [Int]
    ) -> (length: Int, distance: Int)? {
        guard position + 2 < input.count else { return nil }
        var candidate = latest[run(input, position)] ?? -1
        var best: (length: Int, distance: Int)?
        let limit = min(longestMatch, input.count - position)
        // A long run of one byte would make each earlier place a candidate, and the search grow
        // with the square of the length.
        for _ in 0..<chainLength where candidate >= 0 && position - candidate <= window {
            // The table's key is the three bytes themselves, so they need no comparison.
            var length = 3
            while length < limit, input[candidate + length] == input[position + length] {
                length += 1
            }
            if length > best?.length ?? 2 { best = (length, position - candidate) }
            candidate = earlier[candidate]
        }
        return best
    }

    // MARK: Codes

    private mutating func putLiteral(_ symbol: Int) {
        // The fixed code of RFC 1951, section 3.2.6.
        switch symbol {
        case 0...143: putCode(0x30 + symbol, 8)
        case 144...255: putCode(0x190 + symbol - 144, 9)
        case 256...279: putCode(symbol - 256, 7)
        default: putCode(0xC0 + symbol - 280, 8)
        }
    }

    private mutating func putLength(_ length: Int) {
        let code = Self.code(of: length, DeflateTables.lengths)
        putLiteral(257 + code)
        put(UInt32(length - DeflateTables.lengths[code]), DeflateTables.lengthBits[code])
    }

    private mutating func putDistance(_ distance: Int) {
        let code = Self.code(of: distance, DeflateTables.distances)
        putCode(code, 5)
        put(UInt32(distance - DeflateTables.distances[code]), DeflateTables.distanceBits[code])
    }

    private static func code(of number: Int, _ starts: [Int]) -> Int {
        (starts.firstIndex { $0 > number } ?? starts.count) - 1
    }

    /// Codes go with their first bit first, all else with the lowest.
    private mutating func putCode(_ code: Int, _ count: Int) {
        for bit in (0..<count).reversed() { put(UInt32(code >> bit & 1), 1) }
    }

    private mutating func put(_ value: UInt32, _ count: Int) {
        // Fewer than eight bits are left from before, and at most thirteen come.
        bits |= value << UInt32(bitCount)
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }
}
