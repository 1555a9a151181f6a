import CoreData
import Foundation

/// Methods that are called by a selector which is made of a method.
extension NSObject {
    /// Calls a method that takes nothing.
    ///
    /// - Returns: What the method returns; objects and values come as they are.
    /// - Precondition: The selector is made of a method, as it is for all of these.
    @discardableResult
    public func perform(_ aSelector: Selector) -> Any? { aSelector.requiredAction(self, nil) }

    /// Calls a method with an argument.
    @discardableResult
    public func perform(_ aSelector: Selector, with object: Any?) -> Any? {
        aSelector.requiredAction(self, object)
    }

    /// Calls a method on the main queue.
    ///
    /// > Threading: Any thread. On the main thread and queue it is called at once if it is waited
    /// > for.
    ///
    /// - Parameters:
    ///   - aSelector: The method.
    ///   - arg: What it is passed, if it takes something.
    ///   - wait: Whether this returns when the method has.
    public func performSelector(
        onMainThread aSelector: Selector,
        with arg: Any?,
        waitUntilDone wait: Bool
    ) {
        let call = PerformedCall(target: self, action: aSelector.requiredAction, argument: arg)
        if wait, MainQueue.isCurrent {
            call.make()
        } else if wait {
            DispatchQueue.main.sync { call.make() }
        } else {
            DispatchQueue.main.async { call.make() }
        }
    }

    /// Calls a method on a thread of the system's.
    public func performSelector(inBackground aSelector: Selector, with arg: Any?) {
        let call = PerformedCall(target: self, action: aSelector.requiredAction, argument: arg)
        DispatchQueue.global().async { call.make() }
    }

    /// Calls a method on the main queue some time later.
    ///
    /// It is called in the main queue's turn, whichever thread asks for it, and can't be cancelled.
    public func perform(
        _ aSelector: Selector,
        with anArgument: Any?,
        afterDelay delay: TimeInterval
    ) {
        let call = PerformedCall(
            target: self,
            action: aSelector.requiredAction,
            argument: anArgument
        )
        DispatchQueue.main.asyncAfter(deadline: .now() + delay) { call.make() }
    }
}

/// A call on its way to another queue.
private struct PerformedCall: @unchecked Sendable {
    // @unchecked: whoever performs a method elsewhere answers for its target and argument, as with
    // Apple's framework.
    let target: AnyObject
    let action: Selector.Action
    let argument: Any?

    func make() { _ = action(target, argument) }
}

/// Tells whether the main queue's turn is running here.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// The main thread counts too: within a `sync` of another queue it is there that main waits.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }
}
