import Foundation

/// Numbers as reports write them.
enum NumberText {
    static func text(_ value: Double, _ unit: ReportColumn.Unit) -> String {
        switch unit {
        case .count, .perSecond: grouped(value)
        case .seconds: short(value)
        case .milliseconds: short(value * 1_000)
        case .percent: short(value * 100)
        case .mebibytes: short(value / 1_048_576)
        }
    }

    /// A whole number with commas between thousands.
    static func grouped(_ value: Double) -> String {
        let digits = String(Int64(value.rounded().magnitude))
        var groups: [Substring] = []
        var rest = digits[...]
        while !rest.isEmpty {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return (value.rounded() < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// Three digits that count, or all before the point.
    static func short(_ value: Double) -> String {
        let size = value.magnitude
        if size == 0 { return "0" }
        if size >= 99.95 { return grouped(value) }
        if size >= 9.995 { return String(format: "%.1f", value) }
        return String(format: size >= 0.9995 ? "%.2f" : "%.3f", value)
    }
}
