import CoreData
import StoreInspection

/// What a store file holds.
struct StoreContents {
    /// What the file has beside rows.
    struct FileFacts: Encodable {
        /// The history of changes.
        struct History: Encodable {
            let transactionCount: Int
            let changeCount: Int
            /// When the first transaction was written; nil if there is none.
            let first: String?
            /// When the last one was written; nil if there is none.
            let last: String?
            let authors: [String]
        }

        /// Nil if the store keeps none.
        let history: History?
        /// How many values have a file of their own.
        let externalFileCount: Int
        /// Why the store's own model can't be had; nil if it can.
        let ownModelProblem: String?
    }

    /// The entities, with their row counts.
    let counts: [(name: String, count: Int)]
    /// What is wrong with the file.
    let problems: [String]
    /// Whether the file was checked.
    let isChecked: Bool
    /// The model that the user gave, or else that the store carries.
    let model: NSManagedObjectModel?
    /// What else there is to say of the file; nil where that can't be told, and of a server.
    let file: FileFacts?
    /// What else there is to say of a store on a server; nil of a file.
    let server: ServerFacts?
    /// The store's metadata; empty if they can't be read, which is among the problems.
    let metadata: [String: Any]

    /// Reads a store file; with a model it is opened, so that it must be of that model.
    ///
    /// - Throws: What tells that the file is no store, or of another model. Damage is no error.
    init(at url: URL, model: NSManagedObjectModel?) throws {
        #if canImport(ObjectiveC)
        guard let model else {
            throw CommandError("Counting the rows of a store needs its model here; give --model.")
        }
        let stack = try StoreAccess.stack(
            model: model,
            store: StoreName(file: url.path),
            mustExist: true,
            isReadOnly: true
        )
        counts = try EntityCounts.counts(in: stack).map { ($0.entity, $0.count) }
        problems = []
        isChecked = false
        file = nil
        server = nil
        self.model = model
        metadata = try Self.metadata(url)
        #else
        let inspection = try NSPersistentStoreCoordinator.inspection(ofSQLiteStoreAt: url)
        var problems = inspection.problems
        // What is damaged may not open, and its model is not the reason then.
        if let model, problems.isEmpty {
            try StoreAccess.close(
                StoreAccess.stack(
                    model: model,
                    store: StoreName(file: url.path),
                    mustExist: true,
                    isReadOnly: true
                )
            )
        }
        counts = inspection.entities.map { ($0.name, $0.rowCount) }
        isChecked = true
        var ownModel: NSManagedObjectModel?
        var ownModelProblem: String?
        do {
            ownModel = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        } catch {
            ownModelProblem = error.localizedDescription
        }
        self.model = model ?? ownModel
        do {
            metadata = try Self.metadata(url)
        } catch {
            metadata = [:]
            problems.append(error.localizedDescription)
        }
        self.problems = problems
        file = FileFacts(inspection, ownModelProblem: ownModelProblem)
        server = nil
        #endif
    }

    /// Reads a store on a server, by its replica.
    ///
    /// - Throws: Why the server can't be asked, or has no such store.
    init(onServer store: StoreName, model: NSManagedObjectModel) throws {
        let stack = try StoreAccess.stack(
            model: model,
            store: store,
            mustExist: true,
            isReadOnly: true
        )
        counts = try EntityCounts.counts(in: stack).map { ($0.entity, $0.count) }
        problems = []
        isChecked = false
        self.model = model
        file = nil
        server = try ServerFacts(stack)
        metadata = stack.coordinator.persistentStores.first?.metadata ?? [:]
        try StoreAccess.close(stack)
    }

    private static func metadata(_ url: URL) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType,
            at: url,
            options: nil
        )
    }
}

#if !canImport(ObjectiveC)
extension StoreContents.FileFacts {
    fileprivate init(_ inspection: StoreInspection, ownModelProblem: String?) {
        history = inspection.history.map {
            History(
                transactionCount: $0.transactionCount,
                changeCount: $0.changeCount,
                first: RowText.plain($0.first),
                last: RowText.plain($0.last),
                authors: $0.authors
            )
        }
        externalFileCount = inspection.externalFileCount
        self.ownModelProblem = ownModelProblem
    }
}
#endif
