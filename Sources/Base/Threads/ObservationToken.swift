import Foundation

/// An observer of one kind of notification, whatever posts it.
package final class ObservationToken: @unchecked Sendable {
    // @unchecked: the token is an opaque object that only goes back to the notification center.
    private let token: any NSObjectProtocol

    /// Begins to observe; the handler is called on the posting thread.
    package init(_ name: Notification.Name, handler: @escaping @Sendable (Notification) -> Void) {
        // No queue is named: the center would wait for it while it posts.
        token = NotificationCenter.default.addObserver(
            forName: name,
            object: nil,
            queue: nil,
            using: handler
        )
    }

    deinit { end() }

    /// Stops observing; a second call does nothing.
    package func end() { NotificationCenter.default.removeObserver(token) }
}
