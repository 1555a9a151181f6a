import Foundation

/// Values as they can be printed, in an error or a description.
enum PrintableValue {
    /// A value itself, but for a date that is not a number, where Foundation would stop the program:
    /// of such a one the seconds.
    static func of(_ value: Any?) -> Any? {
        guard let date = value as? Date, date.timeIntervalSinceReferenceDate.isNaN else {
            return value
        }
        return date.timeIntervalSinceReferenceDate
    }
}
