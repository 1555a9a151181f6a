import Testing

@testable import CoreData

/// Where no error can be thrown the program stops, with a sentence that says what to do.
@Suite struct UnusableFormatTests {
    private func expect(_ content: [UInt8]?, toContain sentence: String) {
        #expect(String(decoding: content ?? [], as: UTF8.self).contains(sentence))
    }

    @Test func aMalformedFormatStringStops() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { _ = NSPredicate(format: "a ==") }
        expect(result?.standardErrorContent, toContain: "Unable to parse the format string")
    }

    @Test func aFormatStringOfAnotherClassStops() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { _ = NSComparisonPredicate(format: "a == 1 AND b == 2") }
        expect(
            result?.standardErrorContent,
            toContain: "A format string can't make a NSComparisonPredicate; use NSPredicate."
        )
    }

    @Test func aPredicateOfABlockIsNotArchived() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = try NSKeyedArchiver.archivedData(
                withRootObject: NSPredicate { _, _ in true },
                requiringSecureCoding: true
            )
        }
        expect(result?.standardErrorContent, toContain: "Can't encode a block predicate")
    }
}
