import Foundation

extension NotificationCenter {
    /// The notifications of a name, as they are posted.
    ///
    /// They are kept from the first `makeAsyncIterator()` on, so that none is lost between two
    /// steps of a loop.
    ///
    /// > Threading: Any thread.
    ///
    /// - Parameters:
    ///   - name: Which notifications.
    ///   - object: Whose; nil for those of all objects.
    public func notifications(
        named name: Notification.Name,
        object: AnyObject? = nil
    ) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// A sequence of notifications that ends with the task that waits for them.
    public final class Notifications: AsyncSequence, @unchecked Sendable {
        // @unchecked: constant; the object is only compared.

        /// What is posted.
        public typealias Element = Notification
        /// What never happens.
        public typealias Failure = Never

        private let center: NotificationCenter
        private let name: Notification.Name
        private let object: AnyObject?

        fileprivate init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Begins to keep what is posted.
        public func makeAsyncIterator() -> Iterator {
            let (stream, continuation) = AsyncStream.makeStream(of: PostedNotification.self)
            // On the thread that posts, and into a buffer without a bound: whatever is posted is
            // kept when `post` returns.
            let token = center.addObserver(forName: name, object: object, queue: nil) {
                continuation.yield(PostedNotification(notification: $0))
            }
            // Nothing is done with it but to give it back to the center.
            nonisolated(unsafe) let observer = token
            // Removed with the stream, or the center would keep the continuation, and what it has
            // buffered.
            continuation.onTermination = { [center] _ in center.removeObserver(observer) }
            return Iterator(iterator: stream.makeAsyncIterator())
        }

        /// One reader of the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var iterator: AsyncStream<PostedNotification>.Iterator

            /// The next notification; nil once the task is cancelled.
            public mutating func next() async -> Notification? {
                await iterator.next()?.notification
            }
        }
    }
}

/// A notification on its way to who waits for it.
private struct PostedNotification: @unchecked Sendable {
    // @unchecked: it is not changed any more; its object is the reader's to guard, as with Apple's.
    let notification: Notification
}
