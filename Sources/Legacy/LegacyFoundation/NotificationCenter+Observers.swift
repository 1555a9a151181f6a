import Foundation

/// Observers that are removed by their identity, as those with a selector are.
///
/// Notifications are posted to a block, which should hold its observer weakly.
extension NotificationCenter {
    /// Calls a block for each notification until the observer is removed or ends.
    ///
    /// Nobody tells when an observer ends: its block is let go of at the latest when as many others
    /// have been added as there were then.
    ///
    /// > Threading: Any thread. The block runs on the thread that posts.
    ///
    /// - Parameters:
    ///   - observer: By whom the registration is removed; it is not kept.
    ///   - name: The notifications' name; nil for all.
    ///   - object: Who posts them; nil for anyone.
    ///   - block: What is called.
    public func addObserver(
        _ observer: AnyObject,
        name: NSNotification.Name?,
        object: Any?,
        using block: @escaping (Notification) -> Void
    ) {
        // The center keeps the relay, which keeps the block but not the observer.
        let relay = Relay(observer, block)
        let token = addObserver(forName: name, object: object, queue: nil) { relay.pass($0) }
        let registration = Registrations.Registration(
            center: self,
            observer: relay,
            name: name,
            object: object.map { $0 as AnyObject },
            token: token
        )
        Registrations.shared.add(registration, of: observer)
    }

    /// Removes all registrations of an observer, or the one of a token; a second call does nothing.
    public func removeObserver(_ observer: AnyObject) {
        for token in Registrations.shared.remove(observer, from: self, where: { _ in true }) {
            // As `Any`, or the call would come to this method again instead of Foundation's.
            removeObserver(token as Any)
        }
        // Tokens of Foundation's own registrations come here too, and only its own method knows
        // them.
        if EndedTokens.shared.note(observer) { removeObserver(observer as Any) }
    }

    /// Removes the registrations of an observer for some notifications.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - name: Their name; nil for all.
    ///   - object: Who posts them; nil for anyone.
    public func removeObserver(_ observer: AnyObject, name: NSNotification.Name?, object: Any?) {
        let sender = object.map { $0 as AnyObject }
        let tokens = Registrations.shared.remove(observer, from: self) { registration in
            (name == nil || registration.name == name)
                && (sender == nil || registration.object === sender)
        }
        for token in tokens { removeObserver(token as Any) }
        removeObserver(observer as Any, name: name, object: object)
    }
}

/// The tokens of Foundation that were removed.
///
/// Foundation on Linux gives the number of a registration that has ended to the next one: a token that
/// is removed twice, at the end of a screen and in a `deinit` say, ends an observer of somebody else.
private final class EndedTokens: @unchecked Sendable {
    // @unchecked: `tokens` is touched under `lock` only.
    static let shared = EndedTokens()

    /// The class of tokens, which has no public name.
    private let tokenClass: AnyClass = type(
        of: NotificationCenter().addObserver(forName: nil, object: nil, queue: nil) { _ in }
    )
    private let lock = NSLock()
    private let tokens = NSHashTable<AnyObject>(options: [.weakMemory, .objectPointerPersonality])

    /// - Returns: Whether it is removed for the first time; true for what is no token.
    func note(_ observer: AnyObject) -> Bool {
        guard type(of: observer) == tokenClass else { return true }
        return lock.withLock {
            guard !tokens.contains(observer) else { return false }
            tokens.add(observer)
            return true
        }
    }
}

/// What passes notifications on as long as the observer lives.
private final class Relay: @unchecked Sendable {
    // @unchecked: never changes; the block is the client's, for the threads that post.
    weak var observer: AnyObject?
    private let block: (Notification) -> Void

    init(_ observer: AnyObject, _ block: @escaping (Notification) -> Void) {
        self.observer = observer
        self.block = block
    }

    func pass(_ notification: Notification) {
        if observer != nil { block(notification) }
    }
}

/// The registrations of all centers.
private final class Registrations: @unchecked Sendable {
    // @unchecked: `entries` is touched under `lock` only.
    static let shared = Registrations()

    struct Registration {
        weak var center: NotificationCenter?
        let observer: Relay
        let name: NSNotification.Name?
        weak var object: AnyObject?
        let token: any NSObjectProtocol
    }

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: [Registration]] = [:]
    private var sizeOfNextSweep = 64

    func add(_ registration: Registration, of observer: AnyObject) {
        let ended = lock.withLock { () -> [Registration] in
            let key = ObjectIdentifier(observer)
            // Another observer may have had the address.
            let ended = sweep() + takeEnded(key)
            entries[key, default: []].append(registration)
            return ended
        }
        // Outside of the lock, for the center takes one of its own.
        for registration in ended { registration.center?.removeObserver(registration.token as Any) }
    }

    /// Takes out what belongs to observers that have ended, each time the table has doubled: nobody
    /// tells when one ends, and its blocks would be kept.
    private func sweep() -> [Registration] {
        guard entries.count >= sizeOfNextSweep else { return [] }
        let ended = Array(entries.keys).flatMap(takeEnded)
        // Twice what is left, so that the sweeps cost each new observer a constant share.
        sizeOfNextSweep = max(64, entries.count * 2)
        return ended
    }

    private func takeEnded(_ key: ObjectIdentifier) -> [Registration] {
        guard let all = entries[key] else { return [] }
        let living = all.filter { $0.observer.observer != nil }
        entries[key] = living.isEmpty ? nil : living
        return living.count == all.count ? [] : all.filter { $0.observer.observer == nil }
    }

    /// - Returns: The tokens to remove from the center.
    func remove(
        _ observer: AnyObject,
        from center: NotificationCenter,
        where isMeant: (Registration) -> Bool
    ) -> [any NSObjectProtocol] {
        lock.withLock {
            let key = ObjectIdentifier(observer)
            // In its deinitializer an observer can no longer be seen.
            let removed = (entries[key] ?? []).filter { $0.center === center && isMeant($0) }
            entries[key]?.removeAll { registration in
                removed.contains { $0.token === registration.token }
            }
            if entries[key]?.isEmpty == true { entries[key] = nil }
            return removed.map(\.token)
        }
    }
}
