import CoreData
import LegacyFoundation
import Testing

/// Selectors that are made of methods, as `mergectl port` writes them.
@Suite struct SelectorTests {
    private static let name = Notification.Name("SelectorTests")

    private class Listener: NSObject {
        var heard: [String] = []
        func saved(_ notification: Notification) { heard.append("saved") }
        func savedOfOld(_ notification: NSNotification) { heard.append(notification.name.rawValue) }
        func plain() { heard.append("plain") }
        func fail() throws { throw CocoaError(.fileNoSuchFile) }
        func twice(_ number: Int) -> Int { number * 2 }
    }
    private final class SpecialListener: Listener {
        override func saved(_ notification: Notification) { heard.append("special") }
    }

    @Test func observersAreCalledByTheirMethod() {
        let center = NotificationCenter(), sender = NSObject(), listener = SpecialListener()
        let selectors = [
            Selector("saved:", Listener.saved(_:)),
            Selector("savedOfOld:", Listener.savedOfOld(_:)),
            Selector("plain", Listener.plain), Selector("fail", Listener.fail),
        ]
        for selector in selectors {
            center.addObserver(listener, selector: selector, name: Self.name, object: sender)
        }
        center.post(name: Self.name, object: NSObject())
        #expect(listener.heard.isEmpty)
        center.post(name: Self.name, object: sender)
        #expect(listener.heard.sorted() == ["SelectorTests", "plain", "special"])
        center.removeObserver(listener)
        center.post(name: Self.name, object: sender)
        #expect(listener.heard.count == 3)
    }

    @Test func timersCallTheirMethodFromADateOn() throws {
        let listener = Listener()
        let timer = Timer(
            fireAt: Date(timeIntervalSinceNow: 3_600),
            interval: 60,
            target: listener,
            selector: Selector("plain", Listener.plain),
            userInfo: nil,
            repeats: true
        )
        #expect(timer.timeInterval == 60)
        #expect(timer.fireDate.timeIntervalSinceNow > 3_000)
        timer.fire()
        #expect(listener.heard == ["plain"])
        timer.invalidate()
    }

    @Test func observersNeedNotBeRemoved() {
        let center = NotificationCenter()
        var listener: Listener? = Listener()
        weak let ended = listener
        let selector = Selector("plain", Listener.plain)
        if let listener {
            center.addObserver(listener, selector: selector, name: Self.name, object: nil)
        }
        listener = nil
        #expect(ended == nil)
        center.post(name: Self.name, object: nil)
    }

    /// Foundation would end the observer that was added in between.
    @Test func aTokenThatIsRemovedTwiceEndsNobodyElsesObservation() {
        let center = NotificationCenter(), listener = Listener()
        let token = center.addObserver(forName: Self.name, object: nil, queue: nil) { _ in }
        center.removeObserver(token)
        center.addObserver(
            listener,
            selector: Selector("plain", Listener.plain),
            name: Self.name,
            object: nil
        )
        center.removeObserver(token)
        center.post(name: Self.name, object: nil)
        #expect(listener.heard == ["plain"])
    }

    @Test func whatAnEndedObserverHadIsLetGoOf() {
        let center = NotificationCenter()
        // Made first, so that none of them gets the address of one that has ended.
        let others = (0..<2_000).map { _ in NSObject() }
        weak var captured: NSObject?
        do {
            let listener = Listener(), thing = NSObject()
            captured = thing
            for _ in 0..<2 {
                center.addObserver(listener, name: Self.name, object: nil) { _ in
                    withExtendedLifetime(thing) {}
                }
            }
        }
        for other in others {
            center.addObserver(other, name: Self.name, object: nil) { _ in }
        }
        #expect(captured == nil)
        for other in others { center.removeObserver(other) }
    }

    @Test func methodsArePerformed() {
        let listener = Listener()
        #expect(listener.perform(Selector("twice:", Listener.twice(_:)), with: 4) as? Int == 8)
        listener.perform(Selector("plain", Listener.plain))
        #expect(listener.heard == ["plain"])
    }

    @Test func selectorsAreEqualByName() {
        #expect(Selector("plain", Listener.plain) == Selector(("plain")))
        #expect(NSStringFromSelector(Selector("plain", Listener.plain)) == "plain")
    }

    @Test func namesAloneCanNotBeCalled() async {
        await #expect(processExitsWith: .failure) {
            Listener().perform(Selector(("plain")))
        }
    }
}
