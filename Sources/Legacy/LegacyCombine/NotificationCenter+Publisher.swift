import Foundation

extension NotificationCenter {
    /// Sends the notifications of a name.
    ///
    /// > Threading: Receivers are called on the thread that posts.
    public struct Publisher: LegacyCombine.Publisher {
        /// What it sends.
        public typealias Output = Notification
        /// What it may fail with.
        public typealias Failure = Never
        /// Where notifications are posted.
        public let center: NotificationCenter
        /// Their name.
        public let name: Notification.Name
        /// Who posts them; nil for anyone.
        public let object: AnyObject?

        /// Makes a publisher; `publisher(for:object:)` does, too.
        public init(
            center: NotificationCenter,
            name: Notification.Name,
            object: AnyObject? = nil
        ) {
            self.center = center
            self.name = name
            self.object = object
        }

        public func subscribe(_ receiver: Receiver<Notification, Never>) -> AnyCancellable {
            let stage = Stage(receiver)
            // The object is kept, for another one at its address would count as it.
            let token = center.addObserver(forName: name, object: object, queue: nil) {
                stage.send($0)
            }
            let observation = Observation(center: center, token: token, object: object)
            return AnyCancellable {
                // The stage first, so that a block that another thread is about to call passes
                // nothing on.
                stage.cancel()
                observation.end()
            }
        }
    }

    /// Sends the notifications of a name.
    ///
    /// - Parameters:
    ///   - name: Their name.
    ///   - object: Who posts them; nil for anyone.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
        Publisher(center: self, name: name, object: object)
    }
}

/// What an observer of notifications is removed by.
private struct Observation {
    let center: NotificationCenter
    let token: any NSObjectProtocol
    let object: AnyObject?

    func end() { center.removeObserver(token) }
}
