import Foundation

/// What can be ended before it ends by itself.
public protocol Cancellable {
    /// Ends it; nothing happens the second time.
    func cancel()
}

extension Cancellable {
    /// Keeps a subscription as long as the collection does.
    public func store<Owner: RangeReplaceableCollection>(in collection: inout Owner)
    where Owner.Element == AnyCancellable {
        collection.append(AnyCancellable(self))
    }

    /// Keeps a subscription as long as the set does.
    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(AnyCancellable(self))
    }
}

/// A subscription, which ends with this object or before.
///
/// > Threading: Any thread.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    // @unchecked: `body` is touched under `lock` only.
    private let lock = NSLock()
    private var body: (() -> Void)?

    /// Makes a subscription that is ended by a closure, once.
    public init(_ cancel: @escaping () -> Void) { body = cancel }

    /// Makes a subscription that stands for another.
    public convenience init<Other: Cancellable>(_ other: Other) {
        self.init { other.cancel() }
    }

    deinit { cancel() }

    /// Ends the subscription: nothing more is received.
    public func cancel() {
        // Taken out under the lock and called without it: of two threads one calls it, and it may
        // cancel other subscriptions, or this one again.
        let body = lock.withLock { () -> (() -> Void)? in
            defer { self.body = nil }
            return self.body
        }
        body?()
    }

    /// Keeps the subscription as long as the collection does.
    public func store<Owner: RangeReplaceableCollection>(in collection: inout Owner)
    where Owner.Element == AnyCancellable {
        collection.append(self)
    }

    /// Keeps the subscription as long as the set does.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
