import Foundation

extension DateParser {
    /// A date as a text that `date(_:)` reads, to the microsecond if the format is ISO 8601.
    ///
    /// `null` is written for a date that is hundreds of millions of years away.
    func exported(_ date: Date) -> FieldValue {
        let seconds = date.timeIntervalSinceReferenceDate
        // Beyond it a date has no single seconds.
        guard abs(seconds) < 0x1p53 else { return .null }
        if let formatter { return .text(formatter.withLock { $0.string(from: date) }) }
        if format == Self.unixTime {
            let seconds = date.timeIntervalSince1970
            return .literal(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)")
        }
        // Rounded before it is split, so that the fraction carries over into the seconds.
        let whole = seconds.rounded(.down)
        let microseconds = Int(((seconds - whole) * 1_000_000).rounded())
        let total = Int(whole) + microseconds / 1_000_000 + Self.referenceSeconds
        let fraction = microseconds % 1_000_000
        let day = Self.floored(total, 86_400)
        let (year, month, dayOfMonth) = Self.day(day.quotient)
        let second = day.remainder
        var text = Self.year(year) + "-" + Self.digits(month, 2) + "-"
        text += Self.digits(dayOfMonth, 2) + "T" + Self.digits(second / 3600, 2) + ":"
        text += Self.digits(second / 60 % 60, 2) + ":" + Self.digits(second % 60, 2)
        if fraction > 0 {
            var digits = Self.digits(fraction, 6)[...]
            while digits.last == "0" { digits = digits.dropLast() }
            text += "." + digits
        }
        return .text(text + "Z")
    }

    /// Years that have more or less than four digits are written with a sign.
    private static func year(_ year: Int) -> String {
        if (0...9999).contains(year) { return digits(year, 4) }
        return (year < 0 ? "-" : "+") + digits(abs(year), 5)
    }

    private static func floored(_ value: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
}
