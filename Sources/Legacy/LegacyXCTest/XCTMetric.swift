import XCTest

/// What a test measures. On Linux all are the time.
public protocol XCTMetric {}

/// The time that a block takes.
open class XCTClockMetric: XCTMetric {
    public init() {}
}

/// On Linux the time that a block takes.
open class XCTCPUMetric: XCTMetric {
    public init() {}
}

/// On Linux the time that a block takes.
open class XCTMemoryMetric: XCTMetric {
    public init() {}
}

/// On Linux the time that a block takes.
open class XCTStorageMetric: XCTMetric {
    public init() {}
}

/// How a test measures.
open class XCTMeasureOptions: @unchecked Sendable {
    // @unchecked: for the thread of the test.

    /// When a measurement begins and ends.
    public struct InvocationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// With `startMeasuring()`.
        public static let manuallyStart = InvocationOptions(rawValue: 1 << 0)
        /// With `stopMeasuring()`.
        public static let manuallyStop = InvocationOptions(rawValue: 1 << 1)
    }

    /// What is used if nothing is said.
    open class var `default`: XCTMeasureOptions { XCTMeasureOptions() }
    /// When a measurement begins and ends.
    open var invocationOptions: InvocationOptions = []
    /// How often a block runs. On Linux always ten times.
    open var iterationCount = 5

    public init() {}
}

extension XCTestCase {
    /// Measures the time that a block takes.
    ///
    /// - Parameters:
    ///   - metrics: What is to be measured. On Linux it is the time.
    ///   - options: When a measurement begins and ends.
    ///   - block: Runs ten times.
    public func measure(
        metrics: [any XCTMetric] = [XCTClockMetric()],
        options: XCTMeasureOptions,
        block: () -> Void
    ) {
        // Only the start has to be known before: a block may call `stopMeasuring()` in any case.
        let isManual = options.invocationOptions.contains(.manuallyStart)
        measureMetrics(
            [.wallClockTime],
            automaticallyStartMeasuring: !isManual,
            for: block
        )
    }

    /// Measures the time that a block takes, ten times.
    public func measure(metrics: [any XCTMetric], block: () -> Void) {
        measure(metrics: metrics, options: .default, block: block)
    }
}
