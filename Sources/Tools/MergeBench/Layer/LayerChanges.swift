import CoreData

/// Workloads f and g: changing or deleting rows by key in one transaction.
struct LayerChanges: LayerWorkload {
    enum Kind { case update, delete }

    let kind: Kind
    let fixture: LayerFixture

    var letter: String { kind == .update ? "f" : "g" }
    var title: String { kind == .update ? "update 10,000, one save" : "delete 10,000, one save" }
    var target: Double? { kind == .update ? 1.2 : 1 }

    var inequality: String? { LayerFixture.checkpointing }

    func bare() throws -> LayerTime { try bare(makesCheckpoints: true) }

    var fairBare: FairBare? {
        FairBare(title: LayerFixture.withoutCheckpoints) { try bare(makesCheckpoints: false) }
    }

    private func bare(makesCheckpoints: Bool) throws -> LayerTime {
        // A copy for each round, since the rows are changed or gone behind it.
        let database = try SQLiteDatabase(fixture.copyOfBase())
        if !makesCheckpoints { try database.leaveCheckpoints() }
        try warm(database)
        // The layer counts a row's changes in `Z_OPT` for optimistic locking, so this side does, too.
        let change = try database.prepare(
            kind == .update
                ? "UPDATE ZITEM SET ZNUMBER = ?2, ZNAME = ?3, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1"
                : "DELETE FROM ZITEM WHERE Z_PK = ?1"
        )
        return try LayerTime.measure { sum in
            try database.transaction {
                for number in fixture.sample {
                    change.bind(1, Int64(number))
                    if kind == .update {
                        change.bind(2, Int64(-number))
                        change.bind(3, "updated-\(number)")
                    }
                    try change.run()
                    sum.add(Int64(number))
                }
            }
        }
    }

    /// Reads the rows once, as the layer has them in memory when the time begins.
    private func warm(_ database: SQLiteDatabase) throws {
        let row = try database.prepare("SELECT ZNUMBER FROM ZITEM WHERE Z_PK = ?")
        for number in fixture.sample {
            row.bind(1, Int64(number))
            _ = try row.step()
            row.reset()
        }
    }

    func layer(_ access: any ItemAccess) throws -> LayerTime {
        let model = ItemModel.makeForQueries(access)
        return try fixture.withStore(fixture.copyOfBase(), model: model) { coordinator in
            try coordinator.inNewContext { context in
                let objects = try context.itemIDs(fixture.sample).map { id in
                    try context.existingObject(with: id)
                }
                // Fires each object: its values are in memory when the time begins, as the other
                // side's pages are.
                for object in objects { _ = access.number(object) }
                return try LayerTime.measure { sum in
                    for (number, object) in zip(fixture.sample, objects) {
                        change(object, number, access)
                        sum.add(Int64(number))
                    }
                    try context.save()
                }
            }
        }
    }

    private func change(
        _ object: NSManagedObject,
        _ number: Int,
        _ access: any ItemAccess
    ) {
        switch kind {
        case .update:
            access.rename(object, number: Int64(-number), name: "updated-\(number)")
        case .delete:
            object.managedObjectContext?.delete(object)
        }
    }
}
