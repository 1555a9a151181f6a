import CoreData

/// Workloads that read one filled store, again and again: by bare SQLite on one connection, by the
/// layer on one coordinator with a new context for each round.
struct LayerQuery: LayerWorkload {
    /// Reads with bare SQLite in a way that is nearer to what the layer does.
    struct Fair {
        let title: String
        /// Takes the time of the work itself.
        let measure: (SQLiteDatabase) throws -> LayerTime

        init(_ title: String, measure: @escaping (SQLiteDatabase) throws -> LayerTime) {
            self.title = title
            self.measure = measure
        }
    }

    let letter: String
    let title: String
    let target: Double?
    let keyedTarget: Double?
    let inequality: String?
    private let fair: Fair?
    private let stores: LayerQueryStores
    private let readBare: (SQLiteDatabase, inout LayerParts) throws -> Void
    /// Done in the context before the time begins.
    private let prepare: (NSManagedObjectContext, LayerQuerySide) throws -> [NSManagedObject]
    private let readLayer: (NSManagedObjectContext, LayerQuerySide, inout LayerParts) throws -> Void

    init(
        _ letter: String,
        _ title: String,
        target: Double?,
        keyedTarget: Double? = nil,
        inequality: String? = nil,
        stores: LayerQueryStores,
        fair: Fair? = nil,
        bare: @escaping (SQLiteDatabase, inout LayerParts) throws -> Void,
        prepare: @escaping (NSManagedObjectContext, LayerQuerySide) throws -> [NSManagedObject] = {
            _,
            _ in []
        },
        layer: @escaping (NSManagedObjectContext, LayerQuerySide, inout LayerParts) throws -> Void
    ) {
        self.letter = letter
        self.title = title
        self.target = target
        self.keyedTarget = keyedTarget
        self.inequality = inequality
        self.fair = fair
        self.stores = stores
        readBare = bare
        self.prepare = prepare
        readLayer = layer
    }

    func bare() throws -> LayerTime {
        try LayerTime.measureParts { try readBare(stores.database, &$0) }
    }

    var fairBare: FairBare? {
        fair.map { fair in
            FairBare(title: fair.title) { try fair.measure(stores.database) }
        }
    }

    func layer(_ access: any ItemAccess) throws -> LayerTime {
        try layer(on: stores.side(access))
    }

    /// Does it by managed objects of another store that has the same items.
    func layer(on side: LayerQuerySide) throws -> LayerTime {
        try side.coordinator.inNewContext { context in
            let prepared = try prepare(context, side)
            // A context keeps no unchanged objects: without this they would be gone before they are
            // read.
            return try withExtendedLifetime(prepared) {
                try LayerTime.measureParts { try readLayer(context, side, &$0) }
            }
        }
    }
}

/// The layer with one way of access.
struct LayerQuerySide {
    let access: any ItemAccess
    let coordinator: NSPersistentStoreCoordinator
    /// The object IDs of the fixture's sample.
    let sampleIDs: [NSManagedObjectID]
}

/// The stores that queries read.
final class LayerQueryStores {
    let database: SQLiteDatabase
    private let store: URL
    private let sample: [Int]
    private var sides: [LayerQuerySide] = []

    /// Opens a copy of the filled store for bare SQLite, and makes one for the layer.
    init(_ fixture: LayerFixture) throws {
        database = try SQLiteDatabase(fixture.copyOfBase())
        store = try fixture.copyOfBase()
        sample = fixture.sample
    }

    /// The layer with a way of access; its coordinator stays open.
    func side(_ access: any ItemAccess) throws -> LayerQuerySide {
        // Opened once for all rounds; what opening costs is a workload of its own.
        if let known = sides.first(where: { type(of: $0.access) == type(of: access) }) {
            return known
        }
        // One for each way of access over the same file, for their models name other classes.
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: ItemModel.makeForQueries(access)
        )
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: store,
            options: nil
        )
        let side = LayerQuerySide(
            access: access,
            coordinator: coordinator,
            sampleIDs: try coordinator.inNewContext { try $0.itemIDs(sample) }
        )
        sides.append(side)
        return side
    }
}

extension NSManagedObjectContext {
    /// The IDs of items by number, which lie in memory in the order of the list, as the keys of a list of
    /// bare SQLite's do.
    func itemIDs(_ numbers: [Int]) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Item")
        request.resultType = .managedObjectIDResultType
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        // The fixture's numbers begin at 1 and none is missing, so each stands at a known place.
        let all = try fetch(request)
        let places = numbers.map { all[$0 - 1].uriRepresentation() }
        // Made anew, one after the other: the fetch has made them in the order of the table.
        return places.map { place in
            guard let id = persistentStoreCoordinator?.managedObjectID(forURIRepresentation: place)
            else { fatalError("\(place) is of an item, and of no store that is open.") }
            return id
        }
    }
}
