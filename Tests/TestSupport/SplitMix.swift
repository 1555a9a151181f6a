/// Random numbers that are the same for the same seed: the SplitMix64 generator of Steele, Lea and
/// Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
public struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// An element of a list that is not empty.
    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// True once in so many times.
    public mutating func chance(_ one: Int) -> Bool { below(one) == 0 }

    /// A number from 0 on, below a bound.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
