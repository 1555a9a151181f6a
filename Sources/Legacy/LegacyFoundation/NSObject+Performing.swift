import CoreData
import Foundation
import Threads

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
        // The selector is looked at here, so that one without a method stops where it is passed.
        let call = PerformedCall(target: self, action: aSelector.requiredAction, argument: arg)
        // `sync` to the queue that one is on is a deadlock, at which Dispatch ends the program.
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
