import CoreData
import Foundation

/// Numbers and dates at the ends of their ranges.
extension HostileValue {
    private static let tooLarge = Documented.refused(1_610)
    private static let tooSmall = Documented.refused(1_620)

    static let integers: [HostileValue] = integersAtEnds + integersOfReals

    private static let integersAtEnds: [HostileValue] = [
        HostileValue("largest", "int16", Int16.max),
        HostileValue("smallest", "int16", Int16.min),
        HostileValue("one-too-many", "int16", 32_768, tooLarge),
        HostileValue("one-too-few", "int16", -32_769, tooSmall),
        HostileValue("far-too-many", "int16", Int.max, tooLarge),
        HostileValue("largest", "int32", Int32.max),
        HostileValue("smallest", "int32", Int32.min),
        HostileValue("one-too-many", "int32", Int(Int32.max) + 1, tooLarge),
        HostileValue("one-too-few", "int32", Int(Int32.min) - 1, tooSmall),
        HostileValue("largest", "int64", Int64.max),
        HostileValue("smallest", "int64", Int64.min),
        HostileValue("unsigned", "int64", NSNumber(value: UInt64.max), tooLarge),
        HostileValue("beyond-reals", "int64", NSNumber(value: 9_007_199_254_740_993)),
        HostileValue("decimal", "int64", NSDecimalNumber(string: "1e30"), tooLarge),
        HostileValue("two", "flag", NSNumber(value: 2), .storedAs(true)),
        HostileValue("minus-one", "flag", NSNumber(value: -1), .storedAs(true)),
    ]

    private static let integersOfReals: [HostileValue] = ["int16", "int32", "int64"].flatMap {
        (key: String) -> [HostileValue] in
        [
            HostileValue("nan", key, Double.nan, tooLarge),
            HostileValue("infinity", key, Double.infinity, tooLarge),
            HostileValue("minus-infinity", key, -Double.infinity, tooSmall),
            HostileValue("huge", key, 1e300, tooLarge),
            HostileValue("fraction", key, 1.9, .storedAs(1)),
            HostileValue("negative-fraction", key, -1.9, .storedAs(-1)),
            HostileValue("zero", key, 0),
            HostileValue("minus-zero", key, -0.0, .storedAs(0)),
        ]
    }

    static let reals: [HostileValue] =
        finite.map { HostileValue($0.0, "double", $0.1) } + endless + floats

    private static let finite: [(String, Double)] = [
        ("zero", 0), ("minus-zero", -0.0), ("tenth", 0.1), ("third", 1.0 / 3),
        ("smallest", .leastNonzeroMagnitude), ("smallest-normal", .leastNormalMagnitude),
        ("largest", .greatestFiniteMagnitude), ("lowest", -.greatestFiniteMagnitude),
        ("next-to-one", 1 + .ulpOfOne), ("beyond-integers", 9_007_199_254_740_994),
        ("whole", 1e15), ("digits", 123_456_789.123_456_79),
    ]

    /// Files of rows have no form for infinities.
    private static let endless: [HostileValue] = [
        HostileValue("infinity", "double", Double.infinity, exchanged: .storedAs(nil)),
        HostileValue("minus-infinity", "double", -Double.infinity, exchanged: .storedAs(nil)),
        HostileValue("nan", "double", Double.nan, .refused(1_550)),
        HostileValue("signaling-nan", "double", Double.signalingNaN, .refused(1_550)),
    ]

    private static let floats: [HostileValue] = [
        HostileValue("tenth", "float", Float(0.1)),
        HostileValue("smallest", "float", Float.leastNonzeroMagnitude),
        HostileValue("largest", "float", Float.greatestFiniteMagnitude),
        HostileValue("infinity", "float", Float.infinity, exchanged: .storedAs(nil)),
        HostileValue("nan", "float", Float.nan, .refused(1_550)),
        HostileValue("double", "float", 0.1, .storedAs(Float(0.1))),
    ]

    static let decimals: [HostileValue] =
        decimalTexts.map { HostileValue($0.0, "decimal", NSDecimalNumber(string: $0.1)) }
        + longDecimals.map {
            HostileValue($0.0, "decimal", NSDecimalNumber(string: $0.1), .rounded)
        }
        + [
            HostileValue("nan", "decimal", NSDecimalNumber.notANumber),
            HostileValue("largest", "decimal", NSDecimalNumber.maximum, .rounded),
            HostileValue("lowest", "decimal", NSDecimalNumber.minimum, .rounded),
        ]

    private static let decimalTexts: [(String, String)] = [
        ("zero", "0"), ("tenth", "0.1"), ("negative", "-12345.6789"),
        ("fifteen", "123456789012345"), ("seventeen", "12345678901234567"),
        ("huge", "1e120"), ("tiny", "1e-120"),
    ]

    private static let longDecimals: [(String, String)] = [
        ("cents", "99999999999999.99"), ("many-digits", "12345678901234567890123456789012345678"),
        ("many-places", "0.12345678901234567890123456789012345678"),
    ]

    static let dates: [HostileValue] =
        seconds.map { date($0.0, $0.1) }
        + [
            // Files of rows have microseconds.
            date(
                "fraction",
                0.123_456_789,
                exchanged: .storedAs(Date(timeIntervalSinceReferenceDate: 0.123_457))
            ),
            // And no text for what is farther than that.
            date("farthest", .greatestFiniteMagnitude, exchanged: .storedAs(nil)),
            date("infinity", .infinity, exchanged: .storedAs(nil)),
            date("minus-infinity", -.infinity, exchanged: .storedAs(nil)),
            date("nan", .nan, .refused(1_650)),
        ]

    private static func date(
        _ name: String,
        _ seconds: Double,
        _ documented: Documented = .stored,
        exchanged: Documented? = nil
    ) -> HostileValue {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        return HostileValue(name, "date", date, documented, exchanged: exchanged)
    }

    private static let seconds: [(String, Double)] = [
        ("reference", 0), ("half-before", -0.5), ("epoch", -978_307_200),
        ("before-epoch", -978_307_200.25), ("year-0", -63_145_094_400),
        ("year-9999", 252_423_993_599),
        ("distant-past", Date.distantPast.timeIntervalSinceReferenceDate),
        ("distant-future", Date.distantFuture.timeIntervalSinceReferenceDate),
        ("leap-second", 504_921_600), ("far", 1e14), ("far-back", -1e14),
    ]
}
