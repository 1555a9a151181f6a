import Foundation
import Testing

@testable import MergeExchange

@Suite struct DateParserTests {
    @Test(
        arguments: [
            ("1970-01-01", 0), ("2000-02-29", 951_782_400), ("1969-12-31T23:59:59Z", -1),
            ("2012-05-31T14:30", 1_338_474_600), ("2012-05-31 14:30:00", 1_338_474_600),
            ("2012-05-31T14:30:00+02:00", 1_338_467_400),
            ("2012-05-31T14:30:00-0130", 1_338_480_000),
            ("2012-05-31T14:30:00.250Z", 1_338_474_600.25), ("0001-01-01", -62_135_596_800),
            ("+10000-01-01", 253_402_300_800), ("-0001-12-31T23:59:59Z", -62_167_219_201),
        ] as [(String, Double)]
    )
    func isoDates(text: String, seconds: Double) {
        #expect(DateParser(format: nil).date(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "", "2012", "2012-5-31", "2012-13-01", "2011-02-29", "2012-05-31T", "2012-05-31T24:00",
        "2012-05-31T14:30:00X", "2012-05-31T14:30:00Z ", "2012-05-31T14:30:00.Z", "x012-05-31",
        "2012-05-31T14:30:00+2", "２012-05-31", "+1-01-01", "+1234567890-01-01", "+-2012-05-31",
    ])
    func whatIsNoDate(text: String) {
        #expect(DateParser(format: nil).date(text) == nil)
    }

    @Test func otherFormats() {
        #expect(DateParser(format: "UnixTime").date("12.5") == Date(timeIntervalSince1970: 12.5))
        #expect(DateParser(format: "UnixTime").date("nan") == nil)
        let parser = DateParser(format: "yyyy/MM/dd HH:mm")
        #expect(parser.date("1970/01/02 00:01") == Date(timeIntervalSince1970: 86460))
        #expect(parser.date("1970-01-02") == nil)
        #expect(parser.expectation == "a date of the form yyyy/MM/dd HH:mm")
    }
}
