import CoreData
import Foundation

/// Timers that call by a selector which is made of a method.
extension Timer {
    /// Makes a timer and adds it to the run loop of this thread.
    ///
    /// - Parameters:
    ///   - ti: The time between two calls, in seconds.
    ///   - aTarget: Whose method is called; the timer keeps it until it is invalidated.
    ///   - aSelector: The method, which takes the timer or nothing.
    ///   - userInfo: Must be nil: Foundation's timers have no place for it on Linux.
    ///   - yesOrNo: Whether it calls more than once.
    /// - Precondition: The selector is made of a method.
    public class func scheduledTimer(
        timeInterval ti: TimeInterval,
        target aTarget: Any,
        selector aSelector: Selector,
        userInfo: Any?,
        repeats yesOrNo: Bool
    ) -> Timer {
        let call = TimerCall(aTarget, aSelector, userInfo)
        return scheduledTimer(withTimeInterval: ti, repeats: yesOrNo) { call.make($0) }
    }

    /// Makes a timer; add it to a run loop.
    ///
    /// - Parameters:
    ///   - ti: The time between two calls, in seconds.
    ///   - aTarget: Whose method is called; the timer keeps it until it is invalidated.
    ///   - aSelector: The method, which takes the timer or nothing.
    ///   - userInfo: Must be nil: Foundation's timers have no place for it on Linux.
    ///   - yesOrNo: Whether it calls more than once.
    /// - Precondition: The selector is made of a method.
    public convenience init(
        timeInterval ti: TimeInterval,
        target aTarget: Any,
        selector aSelector: Selector,
        userInfo: Any?,
        repeats yesOrNo: Bool
    ) {
        let call = TimerCall(aTarget, aSelector, userInfo)
        self.init(timeInterval: ti, repeats: yesOrNo) { call.make($0) }
    }

    /// Makes a timer that first calls at a date; add it to a run loop.
    ///
    /// - Parameters:
    ///   - date: When it calls first.
    ///   - ti: The time between two calls, in seconds.
    ///   - t: Whose method is called; the timer keeps it until it is invalidated.
    ///   - s: The method, which takes the timer or nothing.
    ///   - ui: Must be nil: Foundation's timers have no place for it on Linux.
    ///   - rep: Whether it calls more than once.
    /// - Precondition: The selector is made of a method.
    public convenience init(
        fireAt date: Date,
        interval ti: TimeInterval,
        target t: Any,
        selector s: Selector,
        userInfo ui: Any?,
        repeats rep: Bool
    ) {
        let call = TimerCall(t, s, ui)
        self.init(fire: date, interval: ti, repeats: rep) { call.make($0) }
    }
}

/// The method that a timer calls.
private struct TimerCall: @unchecked Sendable {
    // @unchecked: called on the thread of the timer's run loop, as with Apple's framework.
    private let target: AnyObject
    private let action: Selector.Action

    init(_ target: Any, _ selector: Selector, _ userInfo: Any?) {
        guard userInfo == nil else {
            fatalError(
                "On Linux a timer has no userInfo: keep it in the target, or make the timer with a "
                    + "block."
            )
        }
        self.target = target as AnyObject
        action = selector.requiredAction
    }

    func make(_ timer: Timer) { _ = action(target, timer) }
}
