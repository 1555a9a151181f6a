import Dispatch
import Foundation

/// Notices what other processes, and other coordinators of this one, commit to a store's file.
///
/// The kernel tells of the writes of a commit before SQLite lets others see it, and SQLite's last
/// step, in the shared index of the log, is told by nobody. So after each write it is asked again
/// and again, at growing intervals, whether something was committed.
///
/// > Threading: Any thread. `onChange` is called on a queue of its own, without locks.
final class StoreWatcher: Sendable {
    /// By what the content of a file is known.
    struct Content: Equatable {
        /// Another one after each commit that is not the store's own.
        let version: Int64
        /// The number of the connection that told the version, which says nothing beside another
        /// one's: what others committed between the two counts as a change, if they did or not.
        let connection: Int
    }
    private struct State {
        var content: Content?
        var times = QuestionTimes()
        var isStopped = false
        var events: FolderEvents?
    }
    /// How often to ask where the system can watch no more folders.
    private static let pollingInterval = DispatchTimeInterval.seconds(1)

    private let queue = DispatchQueue(label: "CoreData.SQLiteStore.watch", qos: .utility)
    private let state = Locked(State())
    private let currentContent: @Sendable () -> Content?
    private let onChange: @Sendable () -> Void

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - file: The store's file.
    ///   - currentContent: What the file holds; nil if it can't be told now.
    ///   - onChange: Called after one or several such commits.
    init(
        _ file: StoreFile,
        currentContent: @escaping @Sendable () -> Content?,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.currentContent = currentContent
        self.onChange = onChange
        // Before the watch begins: a commit between the two is found with the next one, at the
        // latest.
        let content = currentContent()
        state.withLock { $0.content = content }
        let name = file.place.lastPathComponent
        let events = FolderEvents(
            folder: file.place.deletingLastPathComponent().path,
            names: [name, name + "-wal"],
            queue: queue
        ) { [weak self] in self?.fileWasWritten() }
        state.withLock { $0.events = events }
        if events == nil { poll() }
    }

    /// Ends watching; a call of `onChange` may be under way.
    func stop() {
        // The events are let go outside the lock.
        let events = state.withLock { state in
            state.isStopped = true
            defer { state.events = nil }
            return state.events
        }
        withExtendedLifetime(events) {}
    }

    private func fileWasWritten() {
        if let chain = state.withLock({ $0.times.fileWasWritten(at: .now()) }) { askLater(chain) }
    }

    private func askLater(_ chain: Int) {
        let question = state.withLock { state in
            state.isStopped ? nil : state.times.next(of: chain, at: .now())
        }
        guard let question else { return }
        queue.asyncAfter(deadline: question) { [weak self] in
            guard let self, state.withLock({ $0.times.chain == chain }) else { return }
            ask()
            askLater(chain)
        }
    }

    private func poll() {
        guard !state.withLock({ $0.isStopped }) else { return }
        queue.asyncAfter(deadline: .now() + Self.pollingInterval) { [weak self] in
            self?.ask()
            self?.poll()
        }
    }

    private func ask() {
        // Asked outside of the lock, since the answer may have to wait for a save.
        guard !state.withLock({ $0.isStopped }), let content = currentContent() else { return }
        let isNew = state.withLock { state in
            defer { state.content = content }
            // It may have been stopped while SQLite was asked.
            return state.content != content && !state.isStopped
        }
        // Without locks: observers of the notification use the store.
        if isNew { onChange() }
    }
}
