package import SeededRandom

/// The generator of the benchmarks' rows.
package typealias SplitMix = SeededRandom.SplitMix

extension SplitMix {
    /// An element of a list that is not empty.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// True once in so many times.
    package mutating func chance(_ one: Int) -> Bool { below(one) == 0 }

    /// A number from 0 on, below a bound.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
