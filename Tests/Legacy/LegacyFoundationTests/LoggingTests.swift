import Foundation
import Testing

@testable import LegacyFoundation

@Suite struct LoggingTests {
    @Test func formatsTakeAnnotations() {
        #expect(LogFormat.text("%{public}@ of %d%%", ["name" as NSString, 5]) == "name of 5%")
        #expect(LogFormat.text("100 %{", []) == "100 %{")
        #expect(LogFormat.text("100%% of 50%%", []) == "100% of 50%")
    }

    @Test func privateValuesAreLeftOut() {
        let message: OSLogMessage = "user \("Ann", privacy: .private) did \(3, privacy: .public)"
        #expect(message.text == "user <private> did 3")
    }

    @Test func onlyWhatMattersIsWritten() {
        #expect(OSLog.default.isEnabled(type: .error))
        #expect(!OSLog.default.isEnabled(type: .debug))
        #expect(!OSLog.disabled.isEnabled(type: .fault))
    }
}
