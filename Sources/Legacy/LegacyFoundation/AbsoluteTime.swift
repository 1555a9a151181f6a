import Foundation

/// Seconds since the beginning of 2001, UTC.
public typealias CFAbsoluteTime = Double

/// The present time.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }
