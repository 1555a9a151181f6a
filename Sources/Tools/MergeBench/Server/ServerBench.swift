#if PostgreSQL
import CoreData
import Foundation

/// Stores over PostgreSQL beside bare libpq, and their replicas beside an SQLite store.
///
/// > Threading: Any thread but the main one; one at a time.
package struct ServerBench {
    private let url: URL
    private let rowCount: Int
    private let roundCount: Int
    private let seed: UInt64
    /// Starts this program as a listener, and hands out what it prints, line by line.
    package var startListener: (ServerListener.Specification) throws -> any ListenerProcess
    /// Called with each line as it is measured.
    package var onLine: (ServerReport.Line) -> Void = { _ in }

    /// - Parameters:
    ///   - url: The server's database; what is made in it goes at the end.
    ///   - rowCount: How many items.
    ///   - roundCount: How often each side does each workload; the fastest counts.
    package init(
        url: URL,
        rowCount: Int = 100_000,
        roundCount: Int = 3,
        seed: UInt64 = 17,
        startListener: @escaping (ServerListener.Specification) throws -> any ListenerProcess
    ) {
        self.url = url
        self.rowCount = rowCount
        self.roundCount = roundCount
        self.seed = seed
        self.startListener = startListener
    }

    /// Measures all workloads.
    ///
    /// - Throws: ``BenchmarkError``, and what the store throws.
    package func run() throws -> ServerReport {
        var (lines, environment) = try BenchmarkEnvironment.around {
            try TemporaryFolder.with("server") { folder in
                let fixture = try LayerFixture(rows: rowCount, seed: seed, folder: folder)
                let place = ServerPlace(url: url, folder: folder)
                // Whatever ends it, the server is as it was.
                let outcome = Result { try measureAll(fixture, place) }
                for place in [place, place.plain] { try place.drop() }
                return try outcome.get()
            }
        }
        // The server's processes are others, but their work is a part of what is measured.
        environment.othersShare = nil
        return ServerReport(environment: environment, rowCount: rowCount, lines: lines)
    }

    private func measureAll(
        _ fixture: LayerFixture,
        _ place: ServerPlace
    ) throws -> [ServerReport.Line] {
        let writes = ServerWrites(fixture: fixture, place: place, roundCount: roundCount)
        let reads = ServerReads(fixture: fixture, place: place, roundCount: roundCount)
        let commits = ServerCommits(place: place, seed: seed)
        let lateness = ServerLateness(place: place, startListener: startListener)
        let steps: [() throws -> [ServerReport.Line]] = [
            // Reads come before updates, and updates before what adds rows: until then both sides have
            // the same ones.
            { [try writes.inserts()] }, reads.lines, { [try reads.firstCopy()] },
            { [try writes.updates()] }, { [try commits.line()] }, lateness.lines,
        ]
        return try steps.flatMap { step in
            let lines = try step()
            lines.forEach(onLine)
            return lines
        }
    }
}
#endif
