import CoreData
import Foundation

/// An object that tells before it changes.
///
/// Properties that are `@Published` tell by themselves.
public protocol ObservableObject: AnyObject {
    /// How it tells.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never
    /// Sends before each change.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// Sends before each change.
    public var objectWillChange: ObservableObjectPublisher { ObjectPublishers.publisher(of: self) }
}

/// Sends before an object changes.
///
/// > Threading: Any thread. Receivers are called where the object changes.
public final class ObservableObjectPublisher: Publisher, Sendable {
    /// What it sends.
    public typealias Output = Void
    /// What it may fail with.
    public typealias Failure = Never
    private let subject = PassthroughSubject<Void, Never>()

    /// Makes a publisher.
    public init() {}

    public func subscribe(_ receiver: Receiver<Void, Never>) -> AnyCancellable {
        subject.subscribe(receiver)
    }

    /// Tells that the object is about to change.
    public func send() { subject.send() }
}

extension ObservableObjectPublisher: ObjectChangeListener {
    package func objectChanges() { send() }
}

extension NSManagedObject: ObservableObject {
    /// Sends before a property is set, and when a refresh, a merge or a roll-back has brought other
    /// values.
    ///
    /// > Threading: On the queue of the object's context.
    public var objectWillChange: ObservableObjectPublisher {
        changeListener { ObservableObjectPublisher() }
    }
}

/// The publishers of objects that have no place for theirs.
private enum ObjectPublishers {
    private struct Entry {
        weak var owner: AnyObject?
        let publisher: ObservableObjectPublisher
    }
    private struct Table {
        var entries: [ObjectIdentifier: Entry] = [:]
        var limit = 64

        /// Takes out those of objects that have ended.
        mutating func takeEnded() -> [Entry] {
            guard entries.count > limit else { return [] }
            let ended = entries.filter { $0.value.owner == nil }
            for key in ended.keys { entries[key] = nil }
            limit = max(64, entries.count * 2)
            return Array(ended.values)
        }
    }
    private static let table = Shared(Table())

    static func publisher(of owner: AnyObject) -> ObservableObjectPublisher {
        let (publisher, ended) = table.withLock { table in
            let key = ObjectIdentifier(owner)
            let known = table.entries[key]
            if let known, known.owner === owner { return (known.publisher, [Entry]()) }
            // Another object may have had the address.
            let ended = table.takeEnded() + (known.map { [$0] } ?? [])
            let publisher = ObservableObjectPublisher()
            table.entries[key] = Entry(owner: owner, publisher: publisher)
            return (publisher, ended)
        }
        // They end here, without the lock: the last that their receivers hold goes with them.
        withExtendedLifetime(ended) {}
        return publisher
    }
}
