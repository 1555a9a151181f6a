#if PostgreSQL
import CoreData
import Foundation
import Threads

/// How many saves of one row each sixteen writers make in a second, on four machines' stores, beside
/// the same transactions by bare libpq that nobody numbers or reads.
struct ServerCommits {
    let place: ServerPlace
    let seed: UInt64

    private static let writerCount = 16
    private static let storeCount = 4
    private static let seconds = 3.0

    func line() throws -> ServerReport.Line {
        ServerReport.Line(
            title: "commits a second, 16 writers on 4 stores",
            besides: "bare, with change row",
            bare: try bare(),
            store: try stores(),
            unit: "",
            target: 0.8,
            isAtLeast: true
        )
    }

    private func bare() throws -> Double {
        let server = try place.bare()
        try server.run(
            "CREATE TABLE save (seq bigserial PRIMARY KEY, save uuid UNIQUE, at float8); "
                + "CREATE TABLE change (seq int8, place int8, entity int8, kind int8, keys int8[], "
                + "PRIMARY KEY (seq, place)); CREATE SEQUENCE key START 10000000"
        )
        let writers = try (0..<Self.writerCount).map { _ in try place.bare() }
        return try rate { writer in
            // The same statements, in one round trip and one transaction.
            try writers[writer].run(
                "BEGIN; INSERT INTO item (pk, ent, opt, number, name) "
                    + "VALUES (nextval('key'), 1, 1, \(writer), 'commit'); "
                    + "INSERT INTO save (save, at) VALUES (gen_random_uuid(), 1.5); "
                    + "INSERT INTO change VALUES (lastval(), 0, 1, 0, ARRAY[currval('key')]); COMMIT"
            )
        }
    }

    private func stores() throws -> Double {
        let stores = try (0..<Self.storeCount).map {
            try place.open(place.schema, replica: "committer-\($0)")
        }
        let rate = try rate { writer in
            try stores[writer % stores.count].inNewContext { context in
                let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                item.setValue(writer, forKey: "number")
                item.setValue("commit", forKey: "name")
                try context.save()
            }
        }
        for coordinator in stores {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        return rate
    }

    /// How often all writers together do something in a second.
    private func rate(_ commit: @escaping @Sendable (Int) throws -> Void) throws -> Double {
        let count = Guarded(0), failure = Guarded<(any Error)?>(nil)
        let end = Date(timeIntervalSinceNow: Self.seconds)
        let group = DispatchGroup()
        for writer in 0..<Self.writerCount {
            group.enter()
            Thread.detachNewThread {
                do {
                    while end.timeIntervalSinceNow > 0 {
                        try commit(writer)
                        count.withLock { $0 += 1 }
                    }
                } catch {
                    failure.withLock { $0 = error }
                }
                group.leave()
            }
        }
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
        return Double(count.withLock { $0 }) / Self.seconds
    }
}
#endif
