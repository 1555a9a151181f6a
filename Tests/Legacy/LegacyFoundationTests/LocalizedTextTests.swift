import Foundation
@testable import LegacyFoundation
import Testing

/// Texts with values in them.
@Suite struct LocalizedTextTests {
    @Test func textsWithoutTranslationAreThemselves() {
        let name = "Ada", count = 3
        let text = String(
            localized: "100 % of \(name)'s \(count) books, \(0.5)",
            bundle: .main,
            comment: "A count."
        )
        #expect(text == "100 % of Ada's 3 books, 0.500000")
        #expect(String(localized: "books.count", defaultValue: "\(count) books") == "3 books")
        let value: String.LocalizationValue = "plain"
        #expect(String(localized: value) == "plain")
    }

    @Test func translationsMayChangeTheOrder() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("LocalizedTextTests-\(UUID().uuidString).bundle")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let table = "\"%@ has %lld\" = \"%2$lld hat %1$@\";"
        try Data(table.utf8).write(to: folder.appendingPathComponent("Localizable.strings"))
        let bundle = try #require(Bundle(path: folder.path))
        #expect(String(localized: "\("Ada") has \(3)", bundle: bundle) == "3 hat Ada")
    }

    @Test func messagesFormatNumbers() {
        let third = 1.0 / 3
        let message: OSLogMessage = """
            \(third, format: .fixed(precision: 2), privacy: .public) \(255, format: .hex) \
            \(true, format: .answer) [\("a", align: .right(columns: 3))]
            """
        #expect(message.text == "0.33 ff yes [  a]")
    }

    @Test func unitsOfTime() {
        #expect(NSEC_PER_SEC == 1_000 * NSEC_PER_MSEC)
        #expect(USEC_PER_SEC * NSEC_PER_USEC == NSEC_PER_SEC)
    }
}
