import Testing

@testable import MergeBench

@Suite struct PlotScaleTests {
    @Test func linearAxesEndAtARoundValue() {
        let scale = PlotScale.linear(to: 87, unit: .count, places: (0, 200))
        #expect(scale.ticks.map(\.label) == ["0", "20", "40", "60", "80", "100"])
        #expect(scale.place(50) == 100)
        #expect(scale.place(1_000) == 200)
    }

    @Test func logarithmicAxesHoldWholeDecades() {
        let scale = PlotScale.logarithmic(0.0002...3, unit: .seconds, places: (0, 500))
        #expect(
            scale.ticks.map(\.label) == ["100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"]
        )
        #expect(abs(scale.place(0.01) - 200) < 1e-9)
        #expect(scale.place(0) == 0)
    }

    @Test(
        arguments: zip(
            [0, 0.0123, 1.234, 12.34, 123.4, 1_234_567],
            ["0", "0.012", "1.23", "12.3", "123", "1,234,567"]
        )
    )
    func numbersHaveThreeDigitsThatCount(_ value: Double, _ text: String) {
        #expect(NumberText.short(value) == text)
    }
}
