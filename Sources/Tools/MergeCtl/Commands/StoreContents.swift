import CoreData
import StoreInspection

/// What a store file holds.
struct StoreContents {
    /// The entities, with their row counts as texts.
    let counts: [(String, String)]
    /// What is wrong with the file.
    let problems: [String]
    /// Whether the file was checked.
    let isChecked: Bool
    /// The model that the store carries.
    let model: NSManagedObjectModel?
    /// What else there is to say of the file.
    let facts: [(String, String)]

    /// Reads a store file; with a model it is opened, so that it must be of that model.
    init(at url: URL, model: NSManagedObjectModel?) throws {
        if let model {
            let stack = try StoreAccess.stack(model: model, store: url.path, mustExist: true)
            #if canImport(ObjectiveC)
            counts = try EntityCounts.counts(in: stack).map { ($0.entity, "\($0.count)") }
            problems = []
            isChecked = false
            facts = []
            self.model = nil
            return
            #else
            try StoreAccess.close(stack)
            #endif
        }
        #if canImport(ObjectiveC)
        throw CommandError("Counting the rows of a store needs its model here; give --model.")
        #else
        let inspection = try NSPersistentStoreCoordinator.inspection(ofSQLiteStoreAt: url)
        counts = inspection.entities.map { ($0.name, "\($0.rowCount)") }
        problems = inspection.problems
        isChecked = true
        var facts = Self.facts(inspection)
        do {
            self.model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            facts.append(("Own model", "yes"))
        } catch {
            self.model = nil
            facts.append(("Own model", error.localizedDescription))
        }
        self.facts = facts
        #endif
    }

    #if !canImport(ObjectiveC)
    private static func facts(_ inspection: StoreInspection) -> [(String, String)] {
        var facts: [(String, String)] = []
        if let history = inspection.history {
            facts.append(
                (
                    "History",
                    "\(history.transactionCount) transactions, \(history.changeCount) changes"
                )
            )
            if let first = history.first, let last = history.last {
                facts.append(("From", RowText.plain(first) ?? ""))
                facts.append(("To", RowText.plain(last) ?? ""))
            }
            let authors = history.authors.joined(separator: ", ")
            facts.append(("Authors", authors.isEmpty ? "not named" : authors))
        } else {
            facts.append(("History", "none"))
        }
        facts.append(("Values in files", "\(inspection.externalFileCount)"))
        return facts
    }
    #endif
}
