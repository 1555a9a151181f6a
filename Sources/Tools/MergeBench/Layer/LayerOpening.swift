import CoreData

/// Opening a store that another coordinator has filled, and reading every row of it; both sides open
/// the same file anew in each round.
struct LayerOpening: LayerWorkload {
    let fixture: LayerFixture
    let store: URL

    let letter = "o"
    let title = "open a store, fetch all rows"
    let target: Double? = 1.5

    init(_ fixture: LayerFixture) throws {
        self.fixture = fixture
        store = try fixture.copyOfBase()
    }

    func bare() throws -> LayerTime {
        try LayerTime.measure { sum in
            let database = try SQLiteDatabase(store)
            let rows = try database.prepare("SELECT \(ItemTable.columns) FROM ZITEM")
            var records: [ItemRecord] = []
            while try rows.step() { records.append(ItemRecord(rows)) }
            sum.add(Int64(records.count))
        }
    }

    func layer(_ access: any ItemAccess) throws -> LayerTime {
        try LayerTime.measure { sum in
            // In the time, too: a program that starts makes its model first.
            let model = ItemModel.makeForQueries(access)
            try fixture.withStore(store, model: model) { coordinator in
                try coordinator.inNewContext { context in
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                    request.returnsObjectsAsFaults = false
                    sum.add(Int64(try context.fetch(request).count))
                }
            }
        }
    }
}
