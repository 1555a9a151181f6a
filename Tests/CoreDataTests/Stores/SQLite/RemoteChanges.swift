import Foundation

@testable import CoreData

/// The remote changes that a coordinator posts, for ten minutes.
final class RemoteChanges: Sendable {
    private let paths = Locked<[String]>([])
    private let stream: AsyncStream<String>
    private let token: NotificationToken

    init(of coordinator: NSPersistentStoreCoordinator) {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        DispatchQueue.global().asyncAfter(deadline: .now() + 600) { continuation.finish() }
        let paths = paths
        let sender = ObjectIdentifier(coordinator)
        token = NotificationToken(
            NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange,
                object: nil,
                queue: nil
            ) { notification in
                guard ObjectIdentifier(notification.object as AnyObject) == sender else { return }
                let path = (notification.userInfo?[NSPersistentStoreURLKey] as? URL)?.path ?? ""
                paths.withLock { $0.append(path) }
                continuation.yield(path)
            }
        )
    }

    var count: Int { paths.withLock { $0.count } }

    /// The path of the store of the next one; nil if none comes.
    func next() async -> String? {
        for await path in stream { return path }
        return nil
    }
}

/// An observer that is removed when this goes.
private final class NotificationToken: @unchecked Sendable {
    // @unchecked: constant, and opaque.
    private let token: any NSObjectProtocol
    init(_ token: any NSObjectProtocol) { self.token = token }
    deinit { NotificationCenter.default.removeObserver(token) }
}
