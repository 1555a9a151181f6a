import Foundation
import XCTest

/// Waiting without a time limit, as newer versions of XCTest have it.
extension XCTestCase {
    /// Waits until all expectations are fulfilled, however long that takes.
    public func wait(
        for expectations: [XCTestExpectation],
        enforceOrder enforceOrderOfFulfillment: Bool = false
    ) {
        wait(
            for: expectations,
            timeout: Self.unlimited,
            enforceOrder: enforceOrderOfFulfillment
        )
    }

    /// Waits until all expectations are fulfilled, however long that takes.
    @MainActor public func fulfillment(
        of expectations: [XCTestExpectation],
        enforceOrder enforceOrderOfFulfillment: Bool = false
    ) async {
        await fulfillment(
            of: expectations,
            timeout: Self.unlimited,
            enforceOrder: enforceOrderOfFulfillment
        )
    }

    /// Longer than tests run, and yet a date that run loops can reckon with: a year.
    private static var unlimited: TimeInterval { 365 * 24 * 3_600 }
}
