#if PostgreSQL
import Foundation

/// Processes that share a new schema on a server, and what is asked of them in the end: the server, each
/// process's main context and each replica agree with each other and with what was acknowledged.
final class SharingRound {
    let children: [SharingProcess]
    private let folder: URL

    /// - Parameters:
    ///   - name: Of the round: the schema's name, and a folder's.
    ///   - saveCount: How many saves each of the workers makes; nil for as many as there is time.
    init(
        _ name: String,
        on server: TortureServer,
        in folder: URL,
        processes: Int,
        saveCount: Int?,
        isControl: Bool
    ) throws {
        self.folder = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        let place = SharedPlace(
            url: server.url(),
            schema: name,
            replicas: self.folder.appendingPathComponent("first")
        )
        try Self.fill(place)
        let replicas = self.folder
        children = try (0..<processes).map { number in
            let own = SharedPlace(
                url: place.url,
                schema: name,
                replicas: replicas.appendingPathComponent("\(number)")
            )
            return try SharingProcess(number, own, saveCount: saveCount, isControl: isControl)
        }
        // Whoever comes later would not merge what was saved before.
        for child in children { try child.wait(until: { $0.isReady }, "start") }
        for child in children { try child.tell("go") }
    }

    /// What is there before the first save.
    private static func fill(_ place: SharedPlace) throws {
        let stack = try place.open()
        try stack.save { context in
            for number in 0..<SharingChild.counterCount {
                context.make("Item", SharingChild.counterName(number))
                    .setValue(Int64(0), forKey: "value")
            }
            context.make("Owner", "owner")
        }
        try stack.close()
    }

    /// How many saves were acknowledged so far.
    var savedCount: Int { children.reduce(0) { $0 + ($1.account.outcomes[.saved] ?? 0) } }

    /// Has all of them end, and compares what they have with what the server has.
    ///
    /// - Parameter server: Anew, since a server that was killed has ended the connection.
    func judge(_ server: TortureServer) throws -> PointResult {
        for child in children { try child.tell("end") }
        for child in children { try child.wait(until: { $0.hasEnded }, "end") }
        let connection = try ServerConnection(server.url(), schema: children[0].place.schema)
        try waitUntilNumbered(connection)
        let record = try ServerDump.lines(connection)
        var result = PointResult()
        result.violations += try ServerDump.numberViolations(connection)
        result.violations += try SharingRecord(children.map(\.account)).violations(
            connection,
            record
        )
        let digest = Digest.of(Data(record.joined(separator: "\n").utf8))
        let merged = try mergedByContext(connection)
        for child in children {
            let look = try child.look(until: digest)
            result.violations += judge(child, look, digest, merged)
            result.figures["calls of main to the network", default: 0] += look.mainNetworkCalls
        }
        for child in children {
            try child.close()
            let replica = child.place.replica
            result.violations += replica.problems.map { "the replica of \(child.number): \($0)" }
            let whose = "the replica of \(child.number)"
            if let text = ServerDump.difference(replica.lines.sorted(), from: record, whose) {
                result.violations.append(text)
            }
            for (outcome, count) in child.account.outcomes {
                result.figures["\(outcome) saves", default: 0] += count
            }
        }
        try connection.rows("DROP SCHEMA \"\(children[0].place.schema)\" CASCADE")
        try FileManager.default.removeItem(at: folder)
        return result
    }

    /// Ends what may still run.
    func abandon() { for child in children { child.kill() } }

    /// The children number what is committed, once a second at the latest.
    private func waitUntilNumbered(_ connection: ServerConnection) throws {
        let limit = Date(timeIntervalSinceNow: 10)
        while try connection.number(
            "SELECT count(*) FROM z_transaction WHERE number IS NULL AND NOT is_void"
        ) > 0, limit.timeIntervalSinceNow > 0 {
            usleep(10_000)
        }
    }

    /// How many saves of the children's workers are on the server, by their contexts.
    private func mergedByContext(_ connection: ServerConnection) throws -> [String: Int] {
        let rows = try connection.rows(
            "SELECT context, count(*) FROM z_transaction WHERE NOT is_void "
                + "AND context LIKE 'writer-%' GROUP BY 1"
        )
        return Dictionary(
            rows.map { ($0[0] ?? "", $0[1].flatMap { Int($0) } ?? -1) },
            uniquingKeysWith: +
        )
    }

    private func judge(
        _ child: SharingProcess,
        _ look: SharingProcess.Look,
        _ digest: String,
        _ merged: [String: Int]
    ) -> [String] {
        var wrong: [String] = []
        if look.digest != digest { wrong.append("main of \(child.number) shows something else") }
        if look.mainNetworkCalls != 0 {
            wrong.append("main of \(child.number) used the network \(look.mainNetworkCalls) times")
        }
        for (context, count) in merged.sorted(by: { $0.key < $1.key })
        where look.merged[context] ?? 0 != count {
            wrong.append(
                "main of \(child.number) merged \(look.merged[context] ?? 0) saves of \(context), "
                    + "the server has \(count)"
            )
        }
        return wrong
    }
}
#endif
