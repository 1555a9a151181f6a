import Foundation

/// The types that `CAST` knows.
enum CastTarget: String, CaseIterable, Sendable {
    case date = "NSDate"
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    case string = "NSString"
    case url = "NSURL"
    case uuid = "NSUUID"
    /// Ours: text in Base64, so that a predicate with data can be written.
    case data = "NSData"

    static let list = allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
}

extension CastTarget {
    /// The constant that a cast of a constant stands for, as predicates are written; nil if it is
    /// a cast to be made on evaluation.
    func literal(_ value: Any?) -> Any? {
        switch (self, value) {
        case (.date, let seconds as Double): Date(timeIntervalSinceReferenceDate: seconds)
        case (.date, let seconds as Int): Date(timeIntervalSinceReferenceDate: Double(seconds))
        case (.decimal, let text as String):
            QueryComparison.number(text) == nil
                ? nil : Decimal(string: text).map { NSDecimalNumber(decimal: $0) }
        case (.number, let text as String):
            switch text {
            case "inf": Double.infinity
            case "-inf": -Double.infinity
            default: nil
            }
        case (.uuid, let text as String): UUID(uuidString: text)
        case (.url, let text as String): URL(string: text)
        case (.data, let text as String): Data(base64Encoded: text)
        default: nil
        }
    }
}
