import Testing

@testable import MergeBench

@Suite struct SortedSamplesTests {
    /// The nearest-rank example of NIST/SEMATECH's and others' handbooks: 15, 20, 35, 40, 50.
    @Test(arguments: [(5.0, 15.0), (30, 20), (40, 20), (50, 35), (100, 50)])
    func percentileIsTheNearestRank(_ percent: Double, _ expected: Double) {
        #expect(SortedSamples([40, 15, 50, 35, 20]).percentile(percent) == expected)
    }

    @Test func medianIsTheMiddleOrTheMeanOfTwo() {
        #expect(SortedSamples([3, 1, 2]).median == 2)
        #expect(SortedSamples([4, 1, 3, 2]).median == 2.5)
        #expect(SortedSamples([]).median == nil)
        #expect(SortedSamples([]).percentile(99) == nil)
    }
}
