import Foundation

/// Undoes raw DEFLATE compression (RFC 1951), of bytes that may have been made to do harm.
struct Inflater {
    private let input: [UInt8]
    private var position = 0
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private let maximumByteCount: Int

    /// - Parameters:
    ///   - data: A stream without header; what follows its end is ignored.
    ///   - maximumByteCount: A stream that grows beyond this is refused.
    static func inflate(_ data: Data, maximumByteCount: Int) throws(ArchiveError) -> Data {
        var inflater = Inflater(input: [UInt8](data), maximumByteCount: maximumByteCount)
        try inflater.run()
        return Data(inflater.output)
    }

    private init(input: [UInt8], maximumByteCount: Int) {
        self.input = input
        self.maximumByteCount = maximumByteCount
    }

    private mutating func run() throws(ArchiveError) {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1: try decode(HuffmanCode.fixedLiterals, HuffmanCode.fixedDistances)
            case 2:
                let (literals, distances) = try readCodes()
                try decode(literals, distances)
            default: throw Self.malformed
            }
        }
    }

    private static let malformed = ArchiveError(reason: "its compressed bytes are damaged")

    // MARK: Blocks

    private mutating func copyStored() throws(ArchiveError) {
        // What is left of the byte is padding: stored bytes begin with the next one.
        (bits, bitCount) = (0, 0)
        guard position + 4 <= input.count else { throw Self.malformed }
        let count = Int(input[position]) | Int(input[position + 1]) << 8
        let check = Int(input[position + 2]) | Int(input[position + 3]) << 8
        position += 4
        guard count == ~check & 0xFFFF, count <= input.count - position,
            count <= maximumByteCount - output.count
        else { throw Self.malformed }
        output += input[position..<position + count]
        position += count
    }

    private mutating func decode(
        _ literals: HuffmanCode,
        _ distances: HuffmanCode
    ) throws(ArchiveError) {
        while true {
            let symbol = try next(literals)
            if symbol < 256 {
                guard output.count < maximumByteCount else { throw tooLarge }
                output.append(UInt8(symbol))
            } else if symbol == 256 {
                return
            } else {
                // The fixed code has two symbols more than there are lengths.
                guard symbol - 257 < DeflateTables.lengths.count else { throw Self.malformed }
                let length =
                    DeflateTables.lengths[symbol - 257]
                    + (try take(DeflateTables.lengthBits[symbol - 257]))
                let code = try next(distances)
                // A block can give codes to two distances that do not exist.
                guard code < DeflateTables.distances.count else { throw Self.malformed }
                let distance =
                    DeflateTables.distances[code] + (try take(DeflateTables.distanceBits[code]))
                try copy(length, from: distance)
            }
        }
    }

    private mutating func copy(_ length: Int, from distance: Int) throws(ArchiveError) {
        guard distance <= output.count else { throw Self.malformed }
        guard length <= maximumByteCount - output.count else { throw tooLarge }
        // One by one, since a copy may reach into itself.
        for _ in 0..<length { output.append(output[output.count - distance]) }
    }

    private var tooLarge: ArchiveError {
        ArchiveError(reason: "it is larger than \(maximumByteCount >> 20) MiB when decompressed")
    }

    /// The codes of a block, which are themselves written in a code.
    private mutating func readCodes() throws(ArchiveError) -> (HuffmanCode, HuffmanCode) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        let orderCount = try take(4) + 4
        var orderLengths = [Int](repeating: 0, count: 19)
        for place in DeflateTables.order.prefix(orderCount) { orderLengths[place] = try take(3) }
        let orders = try HuffmanCode(lengths: orderLengths)
        // One run for both codes, for a repetition may go over from the first to the second.
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            let symbol = try next(orders)
            switch symbol {
            case 0...15: lengths.append(symbol)
            case 16:
                guard let last = lengths.last else { throw Self.malformed }
                lengths += Array(repeating: last, count: 3 + (try take(2)))
            case 17: lengths += Array(repeating: 0, count: 3 + (try take(3)))
            default: lengths += Array(repeating: 0, count: 11 + (try take(7)))
            }
        }
        guard lengths.count == literalCount + distanceCount else { throw Self.malformed }
        return (
            try HuffmanCode(lengths: Array(lengths.prefix(literalCount))),
            try HuffmanCode(lengths: Array(lengths.dropFirst(literalCount)))
        )
    }

    // MARK: Bits

    private mutating func take(_ count: Int) throws(ArchiveError) -> Int {
        // At most thirteen bits are asked for, so that those and a byte more fit.
        while bitCount < count {
            guard position < input.count else { throw Self.malformed }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = Int(bits & ((1 << UInt32(count)) - 1))
        bits >>= UInt32(count)
        bitCount -= count
        return value
    }

    private mutating func next(_ code: HuffmanCode) throws(ArchiveError) -> Int {
        var (value, first, index) = (0, 0, 0)
        // The codes of a length are consecutive numbers that go on where the shorter ones end, so
        // that counts are enough to know whether the bits so far are a whole code.
        for length in 1...15 {
            value |= try take(1)
            let count = code.counts[length]
            if value - count < first { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw Self.malformed
    }
}

/// A prefix code as DEFLATE has it: the lengths of the symbols' codes say all.
struct HuffmanCode {
    /// How many codes there are of each length.
    let counts: [Int]
    /// The symbols by the length of their code, then by themselves.
    let symbols: [Int]

    /// - Throws: If there are more codes of a length than there is room for.
    init(lengths: [Int]) throws(ArchiveError) {
        self.init(unchecked: lengths)
        var room = 1
        for count in counts.dropFirst() {
            room = room << 1 - count
            // Too few are no error: a block with one distance has one code of one bit.
            guard room >= 0 else { throw ArchiveError(reason: "its compressed bytes are damaged") }
        }
    }

    private init(unchecked lengths: [Int]) {
        var counts = [Int](repeating: 0, count: 16)
        for length in lengths { counts[length] += 1 }
        counts[0] = 0
        self.counts = counts
        symbols = lengths.indices.filter { lengths[$0] > 0 }
            .sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    static let fixedLiterals = HuffmanCode(
        unchecked: Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112)
            + Array(repeating: 7, count: 24) + Array(repeating: 8, count: 8)
    )
    static let fixedDistances = HuffmanCode(unchecked: Array(repeating: 5, count: 30))
}

/// The tables of RFC 1951, section 3.2.5 and 3.2.7.
enum DeflateTables {
    /// The shortest length of each length code.
    static let lengths = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    /// The shortest distance of each distance code.
    static let distances = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
    ]
    static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12,
        13, 13,
    ]
    /// The order in which the lengths of the code of code lengths stand.
    static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
}
