#if PostgreSQL
import CoreData
import Foundation

/// Two processes at one server: how long after a save has returned the other one's main context has
/// it, beside the parts of that by bare libpq and bare SQLite.
struct ServerLateness {
    let place: ServerPlace
    let startListener: (ServerListener.Specification) throws -> any ListenerProcess

    private static let saveCount = 200

    func lines() throws -> [ServerReport.Line] {
        let bare = SortedSamples(try bare())
        let (lateness, busy) = try stores()
        let merged = SortedSamples(lateness)
        func line(_ title: String, _ store: Double, _ target: Double) -> ServerReport.Line {
            ServerReport.Line(title: title, store: store * 1_000, unit: "ms", target: target)
        }
        var median = line("two processes: saved until merged, median", merged.median ?? 0, 2)
        median.besides = "ms, its parts"
        median.bare = (bare.median ?? 0) * 1_000
        return [
            median, line("two processes: the same, 99 of 100", merged.percentile(99) ?? 0, 50),
            line("two processes: main busy at most", busy, 16.7),
        ]
    }

    /// One save after the other, each when the one before has arrived.
    private func stores() throws -> (lateness: [Double], busy: Double) {
        let listener = try startListener(
            ServerListener.Specification(
                url: place.url,
                schema: place.schema,
                folder: place.folder,
                mergeCount: Self.saveCount
            )
        )
        defer { listener.end() }
        guard try listener.nextLine() == "ready" else { throw BenchmarkError.server("no listener") }
        let lateness = try place.with(place.schema, replica: "speaker") { coordinator in
            try (0..<Self.saveCount).map { save in
                try coordinator.inNewContext { context in
                    let item = NSEntityDescription.insertNewObject(
                        forEntityName: "Item",
                        into: context
                    )
                    item.setValue("late \(save)", forKey: "name")
                    try context.save()
                }
                let saved = Date().timeIntervalSinceReferenceDate
                return try Self.number(listener.nextLine()) - saved
            }
        }
        return (lateness, try Self.number(listener.nextLine()))
    }

    private static func number(_ line: String) throws -> Double {
        guard let number = Double(line) else { throw BenchmarkError.server(line) }
        return number
    }

    /// A number for what was committed, which is committed itself, a notification, a row that is read
    /// because of it, and a row in an SQLite file.
    private func bare() throws -> [Double] {
        let speaker = try place.bare(), listener = try place.bare()
        try speaker.run("CREATE TABLE numbering (last int8); INSERT INTO numbering VALUES (0)")
        try listener.run("LISTEN bench")
        let file = place.folder.appendingPathComponent("parts.sqlite")
        let database = try SQLiteDatabase(file)
        try database.execute("CREATE TABLE item (pk INTEGER PRIMARY KEY, name TEXT)")
        let insert = try database.prepare("INSERT OR REPLACE INTO item VALUES (?, 'late')")
        return try (0..<Self.saveCount).map { save in
            try speaker.run("UPDATE item SET name = 'late \(save)' WHERE pk = 1")
            let clock = Clock()
            try speaker.run(
                "BEGIN; UPDATE numbering SET last = last + 1; COMMIT; SELECT pg_notify('bench', '')"
            )
            guard try listener.waitForNotification() else {
                throw BenchmarkError.server("no notification came")
            }
            _ = try listener.run("SELECT number FROM item WHERE pk = 1")
            try database.transaction {
                insert.bind(1, Int64(save))
                try insert.run()
            }
            return clock.seconds
        }
    }
}
#endif
