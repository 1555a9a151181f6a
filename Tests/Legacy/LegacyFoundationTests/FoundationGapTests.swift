import Foundation
import LegacyFoundation
import Testing

/// What else of Foundation code of old takes for granted.
@Suite struct FoundationGapTests {
    private final class Sender: Sendable {}

    @Test func notificationsComeAsASequence() async throws {
        let name = Notification.Name("FoundationGapTests")
        let sender = Sender()
        var notifications = NotificationCenter.default
            .notifications(named: name, object: sender).makeAsyncIterator()
        NotificationCenter.default.post(name: name, object: Sender(), userInfo: ["number": 0])
        for number in 1...3 {
            NotificationCenter.default.post(
                name: name,
                object: sender,
                userInfo: ["number": number]
            )
        }
        for number in 1...3 {
            let next = try #require(await notifications.next())
            #expect(next.userInfo?["number"] as? Int == number)
        }
    }

    @Test func userDefaultsHaveKeyValueCoding() throws {
        let suite = "FoundationGapTests-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        defaults.setValue("b", forKey: "a")
        #expect(defaults.string(forKey: "a") == "b")
        #expect(defaults.value(forKey: "a") as? String == "b")
        defaults.setValue(nil, forKey: "a")
        #expect(defaults.value(forKey: "a") == nil)
    }

    @Test func aCancelledTaskEndsTheSequence() async {
        let task = Task {
            let center = NotificationCenter.default
            var count = 0
            for await _ in center.notifications(named: .init("FoundationGapTests.none")) {
                count += 1
            }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test func coordinatorsRunAccessors() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        var error: NSError?
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.coordinate(writingItemAt: url, options: .forReplacing, error: &error) { place in
            _ = FileManager.default.createFile(atPath: place.path, contents: Data([1]))
        }
        var content: Data?
        coordinator.coordinate(readingItemAt: url, error: nil) {
            content = try? Data(contentsOf: $0)
        }
        #expect(content == Data([1]) && error == nil)
        try FileManager.default.removeItem(at: url)
    }
}
