#if PostgreSQL
import Dispatch
import Foundation

/// Has a store follow what others commit: when the server notifies, when this process has saved,
/// and once a second in any case, since notifications are lost with their connection.
///
/// > Threading: Any thread. The network is used on the session's queue.
final class ChangeFeed: @unchecked Sendable {
    // @unchecked: `watch` is touched on the session's queue only, the rest behind its lock.

    /// Brings a store up to date, and returns how many saves it has read. Its flag tells whether
    /// others' saves are numbered, too.
    typealias Follow = @Sendable (PostgreSQLConnection, _ numbersAll: Bool) throws -> Int

    private struct State {
        var isScheduled = false
        /// Until when what comes waits for more to come with it.
        var restEnd: DispatchTime?
        var isStopped = false
        var timer: (any DispatchSourceTimer)?
    }
    private static let interval = DispatchTimeInterval.seconds(1)
    /// How many seconds the store rests after it has read several saves at once: three times as long as
    /// reading has taken, within these limits. To read one costs a machine and the server as much as
    /// to read many.
    private static let rest = 0.02...0.05
    private static let severalSaves = 3

    private let session: ServerSession
    private let state = Locked(State())
    private let follow: Follow
    private let watch: SocketWatch

    /// - Parameter follow: Called on the session's queue.
    init(
        _ address: ServerAddress,
        channel: String,
        follow: @escaping Follow
    ) {
        self.follow = follow
        let watch = SocketWatch()
        self.watch = watch
        session = ServerSession(address, label: "CoreData.PostgreSQLStore.feed") { connection in
            try connection.run("LISTEN \(ServerSchema.quoted(channel))")
            watch.watch(connection)
        }
        watch.session = session
        watch.onNotification = { [weak self] in self?.wake() }
    }

    /// Begins to follow.
    func start() {
        let timer = DispatchSource.makeTimerSource(queue: session.queue)
        timer.schedule(
            deadline: .now() + Self.interval,
            repeating: Self.interval,
            leeway: .milliseconds(100)
        )
        // Also what a machine has saved that has ended before it could number it.
        timer.setEventHandler { [weak self] in self?.followQuietly(numbersAll: true) }
        timer.resume()
        let old = state.withLock { state in
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    /// Ends following; waits for what is under way.
    func stop() {
        let timer = state.withLock { state in
            state.isStopped = true
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
        session.close { [watch] in watch.end() }
    }

    /// Follows soon; several calls become one.
    func wake() {
        let isFirst = state.withLock { state in
            guard !state.isScheduled, !state.isStopped else { return false }
            state.isScheduled = true
            return true
        }
        if isFirst { session.queue.async { self.followRested() } }
    }

    private func followRested() {
        let restEnd = state.withLock { state -> DispatchTime? in
            if let end = state.restEnd, end > .now() { return end }
            // Before it reads: a save that comes meanwhile asks for another reading.
            state.isScheduled = false
            return nil
        }
        if let restEnd {
            session.queue.asyncAfter(deadline: restEnd) { self.followRested() }
        } else {
            followQuietly(numbersAll: false)
        }
    }

    /// Follows, and waits for it: afterwards the store has what was committed before the call.
    ///
    /// - Throws: Why the server could not be asked.
    func catchUp() throws { _ = try session.performRepeatably { try follow($0, true) } }

    /// The same without waiting.
    ///
    /// - Parameter completion: Called on the session's queue.
    func catchUp(_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        session.queue.async { [self] in
            completion(Result { _ = try session.withConnection { try follow($0, true) } })
        }
    }

    private func followQuietly(numbersAll: Bool) {
        guard !state.withLock({ $0.isStopped }) else { return }
        let start = ContinuousClock.now
        do {
            let saveCount = try session.withConnection { try follow($0, numbersAll) }
            guard saveCount >= Self.severalSaves else { return }
            let rest = 3 * ((ContinuousClock.now - start) / .seconds(1))
            let limits = Self.rest
            let end = DispatchTime.now() + min(max(rest, limits.lowerBound), limits.upperBound)
            state.withLock { $0.restEnd = end }
        } catch {
            // The next second tries again. A save, which needs the server itself, says what is
            // wrong with it.
        }
    }
}

/// Looks at the socket of a connection while nobody uses it.
private final class SocketWatch: @unchecked Sendable {
    // @unchecked: set up before use, and then touched on the session's queue only.

    weak var session: ServerSession?
    var onNotification: @Sendable () -> Void = {}
    private var source: (any DispatchSourceRead)?

    func watch(_ connection: PostgreSQLConnection) {
        end()
        guard let session else { return }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: connection.socket,
            queue: session.queue
        )
        source.setEventHandler { [weak self, weak connection] in
            // Gone already, and the source is about to be cancelled.
            guard let self, let connection else { return }
            do {
                if try connection.takeNotifications() { onNotification() }
            } catch {
                // The connection has ended; following makes a new one. Until then its socket would
                // report its end again and again.
                end()
            }
        }
        // Dispatch may use the socket until it calls this: the connection must not close it before.
        source.setCancelHandler { withExtendedLifetime(connection) {} }
        source.resume()
        self.source = source
    }

    func end() {
        source?.cancel()
        source = nil
    }
}
#endif
