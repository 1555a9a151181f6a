// Files that make selectors for these methods need not import module CoreData.
@_exported import struct CoreData.Selector
import Foundation

/// Observers that are called by a selector which is made of a method.
extension NotificationCenter {
    /// Calls an observer's method for each notification until the observer is removed or ends.
    ///
    /// > Threading: Any thread. The method is called on the thread that posts.
    ///
    /// - Parameters:
    ///   - observer: Whose method is called; it is not kept.
    ///   - aSelector: The method, which takes the notification or nothing.
    ///   - aName: The notifications' name; nil for all.
    ///   - anObject: Who posts them; nil for anyone.
    /// - Precondition: The selector is made of a method.
    public func addObserver(
        _ observer: AnyObject,
        selector aSelector: Selector,
        name aName: NSNotification.Name?,
        object anObject: Any?
    ) {
        let action = aSelector.requiredAction
        addObserver(observer, name: aName, object: anObject) { [weak observer] notification in
            if let observer { _ = action(observer, notification) }
        }
    }
}

extension Selector {
    /// What calls the method.
    ///
    /// - Precondition: The selector is made of a method.
    var requiredAction: Action {
        guard let action else {
            fatalError(
                "On Linux no method is found by the name \(self): make the selector of the method, "
                    + "Selector(\"\(self)\", Type.method)."
            )
        }
        return action
    }
}
