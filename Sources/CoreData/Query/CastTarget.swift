/// The types that `CAST` knows.
enum CastTarget: String, CaseIterable, Sendable {
    case date = "NSDate"
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    case string = "NSString"
    case url = "NSURL"
    case uuid = "NSUUID"

    static let list = allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
}
