/// The rows of the layer workloads: four integers, two reals, three strings, a date.
public struct Item: Sendable {
    public let integers: (Int64, Int64, Int64, Int64)
    public let reals: (Double, Double)
    public let texts: (String, String, String)
    public let date: Double

    /// The row with a number, the same on every machine.
    public init(_ number: Int) {
        var random = SplitMix(seed: UInt64(number) &* 7919 &+ 17)
        let a = random.next(), b = random.next(), c = random.next(), d = random.next()
        integers = (
            Int64(number), Int64(a % 50), Int64(b % 1_000_000), Int64(bitPattern: c) >> 8
        )
        reals = (Double(b % 1_000_003) / 1_000_003, Double(number) * 0.5)
        texts = (
            "name-\(a % 100_000)",
            "user.\(number).mail@example.org",
            "A somewhat longer text column, row \(number), with tail \(d % 1_000_000_000)"
        )
        date = 700_000_000 + Double(d % 100_000_000) / 10
    }
}

/// A small generator of random numbers with a seed (Steele, Lea, Flood: SplitMix64).
public struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64
    public init(seed: UInt64) { state = seed }
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
