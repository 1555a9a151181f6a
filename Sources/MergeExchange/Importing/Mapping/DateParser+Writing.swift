import Foundation

extension DateParser {
    /// A date as a text that `date(_:)` reads, to the microsecond if the format is ISO 8601.
    ///
    /// Dates that this has no text for are seconds since 1970.
    func exported(_ date: Date) -> FieldValue {
        let seconds = date.timeIntervalSince1970
        guard seconds.isFinite else { return .null }
        if let formatter { return .text(formatter.withLock { $0.string(from: date) }) }
        // The years 0000 to 9999.
        guard format != Self.unixTime, (-62_167_219_200..<253_402_300_799).contains(seconds) else {
            return .literal(seconds == seconds.rounded() ? "\(Decimal(seconds))" : "\(seconds)")
        }
        // Rounded as a whole, before it is split, so that the fraction carries over into the
        // seconds.
        let microseconds = Int((seconds * 1_000_000).rounded())
        let day = Self.floored(microseconds, 86_400_000_000)
        let (year, month, dayOfMonth) = Self.day(day.quotient)
        let second = day.remainder / 1_000_000
        var text = Self.digits(year, 4) + "-" + Self.digits(month, 2) + "-"
        text += Self.digits(dayOfMonth, 2) + "T" + Self.digits(second / 3600, 2) + ":"
        text += Self.digits(second / 60 % 60, 2) + ":" + Self.digits(second % 60, 2)
        let fraction = day.remainder % 1_000_000
        if fraction > 0 {
            var digits = Self.digits(fraction, 6)[...]
            while digits.last == "0" { digits = digits.dropLast() }
            text += "." + digits
        }
        return .text(text + "Z")
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
