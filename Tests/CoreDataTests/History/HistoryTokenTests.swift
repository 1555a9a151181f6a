import TestSupport
import Testing

@testable import CoreData

@Suite struct HistoryTokenTests {
    /// An archive may say any number, and must not stop the process in a comparison.
    @Test(
        arguments: [
            (Int64.max, Int64.min, 1), (Int64.min, Int64.max, -1), (Int64.min, Int64.min, 0),
        ]
    )
    func tokensCompareByAnyNumbers(own: Int64, other: Int64, order: Int) {
        let left = NSPersistentHistoryToken(["store": own])
        let right = NSPersistentHistoryToken(["store": other])
        #expect(left.order(comparedWith: right) == order)
    }

    @Test func tokensThatAreAheadOfEachOtherHaveNoOrder() {
        let left = NSPersistentHistoryToken(["a": 1, "b": 2])
        let right = NSPersistentHistoryToken(["a": 2, "b": 1])
        #expect(left.order(comparedWith: right) == nil)
    }
}
