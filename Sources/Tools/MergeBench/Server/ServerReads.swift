#if PostgreSQL
import CoreData

/// Reading from a replica beside an SQLite store of the same rows, and making the replica.
struct ServerReads {
    let fixture: LayerFixture
    let place: ServerPlace
    let roundCount: Int

    /// Of workloads of the object layer: all rows, 10,000 by ID, filters with order.
    private static let letters = ["c", "d", "e"]

    func lines() throws -> [ServerReport.Line] {
        let access = TypedAccess()
        let queries = try LayerQuery.all(fixture).filter { Self.letters.contains($0.letter) }
        return try place.with(place.schema, replica: "reader") { coordinator in
            let side = LayerQuerySide(
                access: access,
                coordinator: coordinator,
                sampleIDs: try coordinator.inNewContext { try $0.itemIDs(fixture.sample) }
            )
            return try queries.map { try line($0, side, access) }
        }
    }

    private func line(
        _ query: LayerQuery,
        _ side: LayerQuerySide,
        _ access: TypedAccess
    ) throws -> ServerReport.Line {
        var sqlite: [Double] = [], replica: [Double] = []
        // More often than what writes, since it is short; in both orders.
        for round in 0..<(roundCount * 4) {
            var sums: [ValueSum] = []
            for isReplica in round % 2 == 0 ? [false, true] : [true, false] {
                let time = try isReplica ? query.layer(on: side) : query.layer(access)
                sums.append(time.sum)
                if isReplica {
                    replica.append(time.seconds)
                } else {
                    sqlite.append(time.seconds)
                }
            }
            guard sums[0] == sums[1] else { throw BenchmarkError.otherValues(query.letter) }
        }
        return ServerReport.Line(
            title: query.title,
            besides: "ms, SQLite store",
            bare: (sqlite.min() ?? 0) * 1_000,
            store: (replica.min() ?? 0) * 1_000,
            unit: "ms",
            target: 1.05
        )
    }

    /// Opening the store on a machine that has no replica yet.
    func firstCopy() throws -> ServerReport.Line {
        var seconds: [Double] = []
        for round in 0..<roundCount {
            var coordinator: NSPersistentStoreCoordinator?
            seconds.append(
                try Clock.measure {
                    coordinator = try place.open(place.schema, replica: "copy-\(round)")
                }
            )
            for store in coordinator?.persistentStores ?? [] { try coordinator?.remove(store) }
        }
        return ServerReport.Line(
            title: "first copy",
            store: Double(fixture.items.count) / max(seconds.min() ?? 0, 1e-9),
            unit: "rows a second",
            target: 80_000,
            isAtLeast: true
        )
    }
}
#endif
