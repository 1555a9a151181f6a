#if PostgreSQL
import CoreData

/// Inserting and changing rows: the store beside arrays that bare libpq sends to `unnest`.
struct ServerWrites {
    let fixture: LayerFixture
    let place: ServerPlace
    let roundCount: Int

    private static let batchSize = 1_000

    /// Inserting all items in saves of 1,000, each round into new tables that have no index on either
    /// side. Afterwards both sides have the items for the other workloads.
    func inserts() throws -> ServerReport.Line {
        var bare: [Double] = [], store: [Double] = []
        for round in 0..<roundCount {
            let plain = place.plain
            try plain.drop()
            bare.append(try insertBare(plain))
            let model = ItemModel.makePlain(TypedAccess())
            store.append(
                try plain.with(plain.schema, replica: "writer-\(round)", model: model) {
                    coordinator in
                    try Clock.measure { try insert(coordinator) }
                }
            )
        }
        _ = try insertBare(place)
        try place.with(place.schema, replica: "writer", insert)
        return ServerReport.Line(
            title: "insert, saves of 1,000",
            besides: "s, unnest",
            bare: bare.min(),
            store: store.min() ?? 0,
            unit: "s",
            target: 2
        )
    }

    private var batches: [ArraySlice<Item>] {
        let items = fixture.items
        return stride(from: 0, to: items.count, by: Self.batchSize).map {
            items[$0..<min($0 + Self.batchSize, items.count)]
        }
    }

    private func insertBare(_ place: ServerPlace) throws -> Double {
        let server = try place.bare()
        try server.run(
            "CREATE SCHEMA \(place.bareSchema); CREATE TABLE item (pk int8 PRIMARY KEY, ent int8, "
                + "opt int8, number int8, category int8, score int8, code int8, ratio float8, "
                + "amount float8, name text, mail text, text text, date float8)"
        )
        return try Clock.measure {
            for batch in batches {
                try server.run("BEGIN")
                try server.run(
                    "INSERT INTO item SELECT k, 1, 1, k, c, s, o, r, a, n, m, t, d FROM unnest("
                        + "$1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::float8[], "
                        + "$6::float8[], $7::text[], $8::text[], $9::text[], $10::float8[]) "
                        + "AS x(k, c, s, o, r, a, n, m, t, d)",
                    [
                        BareColumn(batch.map(\.number)), BareColumn(batch.map(\.category)),
                        BareColumn(batch.map(\.score)), BareColumn(batch.map(\.code)),
                        BareColumn(batch.map(\.ratio)), BareColumn(batch.map(\.amount)),
                        BareColumn(batch.map(\.name)), BareColumn(batch.map(\.mail)),
                        BareColumn(batch.map(\.text)), BareColumn(batch.map(\.date)),
                    ]
                )
                try server.run("COMMIT")
            }
        }
    }

    private func insert(_ coordinator: NSPersistentStoreCoordinator) throws {
        let access = TypedAccess()
        for batch in batches {
            try coordinator.inNewContext { context in
                for item in batch {
                    let object = NSEntityDescription.insertNewObject(
                        forEntityName: "Item",
                        into: context
                    )
                    access.write(item, to: object)
                }
                try context.save()
            }
        }
    }

    /// Changing two values of 10,000 rows in one save, by their versions.
    func updates() throws -> ServerReport.Line {
        let server = try place.bare()
        let numbers = fixture.sample
        var bare: [Double] = [], store: [Double] = []
        try place.with(place.schema, replica: "changer") { coordinator in
            for round in 1...roundCount {
                bare.append(
                    try Clock.measure {
                        try server.run("BEGIN")
                        try server.run(
                            "UPDATE item i SET number = x.k, name = x.n, opt = x.v + 1 FROM "
                                + "unnest($1::int8[], $2::int8[], $3::text[]) AS x(k, v, n) "
                                + "WHERE i.pk = x.k AND i.opt = x.v",
                            [
                                BareColumn(numbers.map(Int64.init)),
                                BareColumn(numbers.map { _ in Int64(round) }),
                                BareColumn(numbers.map { "updated-\(round)-\($0)" }),
                            ]
                        )
                        try server.run("COMMIT")
                    }
                )
                store.append(try update(coordinator, round))
            }
        }
        return ServerReport.Line(
            title: "update \(NumberText.grouped(Double(numbers.count))), one save",
            besides: "s, unnest",
            bare: bare.min(),
            store: store.min() ?? 0,
            unit: "s",
            target: 1.5
        )
    }

    private func update(_ coordinator: NSPersistentStoreCoordinator, _ round: Int) throws -> Double
    {
        let access = TypedAccess()
        return try coordinator.inNewContext { context in
            let objects = try context.itemIDs(fixture.sample).map { id in
                try context.existingObject(with: id)
            }
            // Fires each object: its values are in memory when the time begins.
            for object in objects { _ = access.number(object) }
            return try Clock.measure {
                for (number, object) in zip(fixture.sample, objects) {
                    let name = "updated-\(round)-\(number)"
                    access.rename(object, number: Int64(number), name: name)
                }
                try context.save()
            }
        }
    }
}
#endif
