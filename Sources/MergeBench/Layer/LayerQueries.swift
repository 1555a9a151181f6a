import CoreData

/// Workloads that read one filled store, again and again: by bare SQLite on one connection, by the
/// layer on one coordinator with a new context for each round.
struct LayerQuery: LayerWorkload {
    let letter: String
    let title: String
    let target: Double?
    private let stores: LayerQueryStores
    private let readBare: (SQLiteDatabase, inout ValueSum) throws -> Void
    /// Done in the context before the time begins.
    private let prepare: (NSManagedObjectContext) throws -> [NSManagedObject]
    private let readLayer: (NSManagedObjectContext, inout ValueSum) throws -> Void

    init(
        _ letter: String,
        _ title: String,
        target: Double?,
        stores: LayerQueryStores,
        bare: @escaping (SQLiteDatabase, inout ValueSum) throws -> Void,
        prepare: @escaping (NSManagedObjectContext) throws -> [NSManagedObject] = { _ in [] },
        layer: @escaping (NSManagedObjectContext, inout ValueSum) throws -> Void
    ) {
        self.letter = letter
        self.title = title
        self.target = target
        self.stores = stores
        readBare = bare
        self.prepare = prepare
        readLayer = layer
    }

    func bare() throws -> LayerTime {
        try LayerTime.measure { try readBare(stores.database, &$0) }
    }

    func layer() throws -> LayerTime {
        try stores.coordinator.inNewContext { context in
            let prepared = try prepare(context)
            return try withExtendedLifetime(prepared) {
                try LayerTime.measure { try readLayer(context, &$0) }
            }
        }
    }
}

/// The stores that queries read.
final class LayerQueryStores {
    let database: SQLiteDatabase
    let coordinator: NSPersistentStoreCoordinator
    /// The object IDs of the fixture's sample.
    let sampleIDs: [NSManagedObjectID]

    /// Opens a copy of the filled store for each side.
    init(_ fixture: LayerFixture) throws {
        database = try SQLiteDatabase(fixture.copyOfBase())
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: ItemModel.makeForQueries())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: fixture.copyOfBase(),
            options: nil
        )
        sampleIDs = try coordinator.inNewContext { try $0.itemIDs(fixture.sample) }
    }
}

extension NSManagedObjectContext {
    /// The IDs of items by number.
    func itemIDs(_ numbers: [Int]) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Item")
        request.resultType = .managedObjectIDResultType
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        let all = try fetch(request)
        return numbers.map { all[$0 - 1] }
    }
}
