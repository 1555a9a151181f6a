import Foundation

/// An observer of one kind of notification.
package final class ObservationToken: @unchecked Sendable {
    // @unchecked: the token is an opaque object that only goes back to the notification center, and
    // has its lock.
    private let token: Guarded<(any NSObjectProtocol)?>

    /// Begins to observe; the handler is called on the posting thread.
    ///
    /// - Parameter sender: Whose notifications, which must live until the end: whatever comes to lie
    ///   at its address later would be taken for it. nil for those of all.
    package init(
        _ name: Notification.Name,
        of sender: AnyObject? = nil,
        handler: @escaping @Sendable (Notification) -> Void
    ) {
        // No queue is named: the center would wait for it while it posts.
        let token = NotificationCenter.default.addObserver(
            forName: name,
            object: sender,
            queue: nil,
            using: handler
        )
        self.token = Guarded(token)
    }

    deinit { end() }

    /// Stops observing; a second call does nothing.
    package func end() {
        // Given back once: Foundation on Linux gives the number of a registration that has ended to
        // the next one, so that a token that is removed twice ends an observer of somebody else.
        let ended = token.withLock { token in
            defer { token = nil }
            return token
        }
        if let ended { NotificationCenter.default.removeObserver(ended) }
    }
}
