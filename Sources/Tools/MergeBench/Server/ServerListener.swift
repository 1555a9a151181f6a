#if PostgreSQL
import CoreData
import Foundation
import MergeStack

/// Another process of the benchmark, as the one that measures sees it.
package protocol ListenerProcess {
    /// The next line that it prints; waits for it.
    ///
    /// - Throws: If it ends instead.
    func nextLine() throws -> String
    /// Ends it.
    func end()
}

/// A process whose main context follows what others save to a server: it prints when each save was
/// merged.
package enum ServerListener {
    /// What it follows, as it is handed to the process.
    package struct Specification: Codable {
        var url: URL
        var schema: String
        var folder: URL
        /// After how many merges it ends.
        var mergeCount: Int
    }

    /// Follows, and prints "ready", the time of each merge in seconds since the reference date, and in
    /// the end for how long main was busy at most, in seconds.
    ///
    /// > Threading: Any thread but the main one, which has to run its run loop.
    package static func run(
        _ specification: Specification,
        _ print: @escaping @Sendable (String) -> Void
    ) throws {
        let place = ServerPlace(
            url: specification.url,
            folder: specification.folder,
            schema: specification.schema
        )
        let monitor = MainQueueMonitor()
        let merges = DispatchSemaphore(value: 0)
        let stack = try NotificationMergeStack(
            model: ItemModel.makeForQueries(KeyedAccess()),
            stores: [place.description(specification.schema, replica: "listener")],
            options: MergeOptions(remoteChanges: .merged) { report in
                guard report.dropReason == nil else { return }
                print("\(Date().timeIntervalSinceReferenceDate)")
                monitor.note(busySeconds: report.longestSliceTime)
                merges.signal()
            }
        )
        monitor.start()
        print("ready")
        for _ in 0..<specification.mergeCount { merges.wait() }
        print("\(monitor.stop().longestSeconds)")
        try DispatchQueue.main.sync { try stack.tearDown() }
    }
}
#endif
