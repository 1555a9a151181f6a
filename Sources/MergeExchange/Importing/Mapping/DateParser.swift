import Foundation
import MergeStack
import Threads

/// Reads dates in a given format, or in those of ISO 8601.
final class DateParser: Sendable {
    let format: String?
    let formatter: Guarded<DateFormatter>?

    /// - Parameter format: A Unicode date format; `UnixTime` for seconds; nil for ISO 8601.
    init(format: String?) {
        self.format = format
        guard let format, format != Self.unixTime else {
            formatter = nil
            return
        }
        let formatter = DateFormatter()
        // So that the user's settings don't change what a file says.
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        self.formatter = Guarded(formatter)
    }

    static let unixTime = "UnixTime"

    /// What a message says was expected.
    var expectation: String {
        format.map { "a date of the form \($0)" }
            ?? "a date such as 2012-05-31 or 2012-05-31T14:30:00Z"
    }

    /// The date, or nil if the text is not of the form.
    func date(_ text: String) -> Date? {
        // All workers share the parser, and a formatter serves one at a time.
        if let formatter { return formatter.withLock { $0.date(from: text) } }
        if format == Self.unixTime {
            return Double(text).flatMap { seconds in
                seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil
            }
        }
        return Self.isoDate(text)
    }

    /// Seconds from 1970 to 2001, from which dates count: sums with a fraction are exact near it.
    static let referenceSeconds = 978_307_200

    /// Reads `yyyy-MM-dd`, alone or with a time: `HH:mm`, seconds, a fraction, `Z` or an offset. Years
    /// before 0 and after 9999 have a sign.
    private static func isoDate(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = takeYear(&rest), take("-", &rest), let month = take(2, &rest),
            take("-", &rest), let day = take(2, &rest), (1...12).contains(month),
            (1...daysOfMonth(month, year: year)).contains(day)
        else { return nil }
        var seconds = days(year, month, day) * 86400 - referenceSeconds
        var digits: ArraySlice<UInt8> = []
        guard !rest.isEmpty else { return date(seconds, digits) }
        guard take("T", &rest) || take(" ", &rest), let hour = take(2, &rest), take(":", &rest),
            let minute = take(2, &rest), hour < 24, minute < 60
        else { return nil }
        seconds += hour * 3600 + minute * 60
        if take(":", &rest) {
            // 60 is a leap second, for which Foundation's time has no place: it is the next
            // minute's first.
            guard let second = take(2, &rest), second <= 60 else { return nil }
            seconds += second
            if take(".", &rest) {
                digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                guard !digits.isEmpty else { return nil }
                rest = rest.dropFirst(digits.count)
            }
        }
        if rest.isEmpty || take("Z", &rest) {
            return rest.isEmpty ? date(seconds, digits) : nil
        }
        let sign = take("-", &rest) ? -1 : 1
        guard sign < 0 || take("+", &rest), let hours = take(2, &rest) else { return nil }
        _ = take(":", &rest)
        let minutes = rest.isEmpty ? 0 : take(2, &rest)
        guard let minutes, rest.isEmpty, hours < 24, minutes < 60 else { return nil }
        return date(seconds - sign * (hours * 3600 + minutes * 60), digits)
    }

    /// The date so many seconds after the beginning of 2001, and a fraction of one in digits.
    private static func date(_ seconds: Int, _ digits: ArraySlice<UInt8>) -> Date? {
        let text = String(decoding: digits, as: UTF8.self)
        // Before 2001 a sum of seconds and a fraction is rounded twice. A quotient of whole numbers
        // that a `Double` holds is the nearest number to what is written.
        if digits.count <= 6, abs(seconds) < 1 << 33 {
            let fraction = text + String(repeating: "0", count: 6 - digits.count)
            guard let microseconds = Int(fraction) else { return nil }
            let whole = Double(seconds * 1_000_000 + microseconds)
            return Date(timeIntervalSinceReferenceDate: whole / 1_000_000)
        }
        guard let fraction = Double("0." + text) else { return nil }
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
    }

    /// Four digits, or a sign and up to nine (ISO 8601 calls that an expanded representation).
    private static func takeYear(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let isNegative = take("-", &rest)
        guard isNegative || take("+", &rest) else { return take(4, &rest) }
        let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        guard (4...9).contains(count), let year = take(count, &rest) else { return nil }
        return isNegative ? -year : year
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(count)
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count == count, isNumber else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func take(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func daysOfMonth(_ month: Int, year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// The year, month and day of a number of days since 1 January 1970: the inverse of `days`.
    static func day(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // Counted from 1 March of the year 0, which is 719,468 days before 1970. 400 years have
        // 146,097 days, and the calendar repeats itself after them.
        let shifted = days + 719468
        let era = (shifted >= 0 ? shifted : shifted - 146096) / 146097
        let dayOfEra = shifted - era * 146097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch + (monthFromMarch < 10 ? 3 : -9)
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Days since 1 January 1970 in the Gregorian calendar, with years that begin in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // A leap day is then the last of its year, and moves no other one.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146097 + dayOfEra - 719468
    }
}
