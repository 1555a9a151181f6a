/// Random numbers that are the same for the same seed: Marsaglia's xorshift, multiplied
/// (https://www.jstatsoft.org/article/view/v008i14).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter seeds: Numbers that choose the sequence together.
    init(_ seeds: UInt64...) {
        state = 0x9e37_79b9_7f4a_7c15
        for seed in seeds {
            state = (state ^ seed) &* 0xff51_afd7_ed55_8ccd
            state ^= state >> 32
        }
        if state == 0 { state = 1 }
    }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_f491_4f6c_dd1d
    }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
