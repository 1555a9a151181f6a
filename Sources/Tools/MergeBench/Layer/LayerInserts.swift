import CoreData

/// Workloads a and b: inserting rows into a new store.
struct LayerInserts: LayerWorkload {
    let letter: String
    let title: String
    let target: Double?
    let fixture: LayerFixture
    /// How many rows are saved at once.
    let batchSize: Int

    static func all(_ fixture: LayerFixture) -> [LayerInserts] {
        [
            LayerInserts(
                letter: "a",
                title: "insert, one save",
                target: 2.0,
                fixture: fixture,
                batchSize: fixture.items.count
            ),
            LayerInserts(
                letter: "b",
                title: "insert, saves of 1,000",
                target: 1.8,
                fixture: fixture,
                batchSize: 1_000
            ),
        ]
    }

    var inequality: String? { LayerFixture.checkpointing }

    func bare() throws -> LayerTime { try bare(makesCheckpoints: true) }

    var fairBare: FairBare? {
        FairBare(title: LayerFixture.withoutCheckpoints) { try bare(makesCheckpoints: false) }
    }

    private func bare(makesCheckpoints: Bool) throws -> LayerTime {
        // The coordinator makes the table, so that both have the same one.
        let store = fixture.newFile()
        try fixture.withStore(store, model: ItemModel.makePlain(KeyedAccess())) { _ in }
        defer { removeQuietly(store) }
        let database = try SQLiteDatabase(store)
        if !makesCheckpoints { try database.leaveCheckpoints() }
        var table = try ItemTable(database)
        return try LayerTime.measure { sum in
            for batch in batches {
                try database.transaction {
                    for item in batch {
                        try table.insert(item)
                        sum.add(item.number)
                    }
                }
            }
        }
    }

    func layer(_ access: any ItemAccess) throws -> LayerTime {
        let store = fixture.newFile()
        defer { removeQuietly(store) }
        return try fixture.withStore(store, model: ItemModel.makePlain(access)) { coordinator in
            try LayerTime.measure { sum in
                for batch in batches {
                    try coordinator.inNewContext { context in
                        for item in batch {
                            let object = NSEntityDescription.insertNewObject(
                                forEntityName: "Item",
                                into: context
                            )
                            access.write(item, to: object)
                            sum.add(item.number)
                        }
                        try context.save()
                    }
                }
            }
        }
    }

    private var batches: [ArraySlice<Item>] {
        let items = fixture.items
        return stride(from: 0, to: items.count, by: batchSize).map {
            items[$0..<min($0 + batchSize, items.count)]
        }
    }

    private func removeQuietly(_ store: URL) {
        // The folder goes at the end with whatever is left.
        do { try fixture.remove(store) } catch {}
    }
}
