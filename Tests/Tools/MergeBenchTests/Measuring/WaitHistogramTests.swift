import Testing

@testable import MergeBench

@Suite struct WaitHistogramTests {
    @Test func waitsAreCountedByLength() {
        var histogram = WaitHistogram([0, 0.000_005, 0.0015, 0.0015, 100])
        #expect(histogram.counts.reduce(0, +) == 5)
        #expect(histogram.counts.first == 2)
        #expect(histogram.counts.last == 1)
        let above = histogram.exceedance
        #expect(above.first?.share == 0.6)
        #expect(above.first { $0.seconds > 0.0011 }?.share == 0.6)
        #expect(above.first { $0.seconds > 0.0017 }?.share == 0.2)
        histogram.add(WaitHistogram([0.0015]))
        #expect(histogram.counts.reduce(0, +) == 6)
    }

    @Test func exceedanceNeverRises() {
        let shares = WaitHistogram((1...1_000).map { Double($0) / 10_000 }).exceedance.map(\.share)
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 >= $1 })
    }
}
