/// What the layouts are measured at.
public enum Workload: String, CaseIterable, Codable, Sendable {
    /// Workers insert rows in batches while a results controller on main lists a part of them.
    case bulkImport = "import"
    /// Workers save ten rows at a time; a tenth of the rows in all.
    case smallSaves = "small-saves"
    /// Main edits and saves what it lists, a row every 10 ms, during an import.
    case editing
    /// Workers update everything that main lists and then delete a tenth of it.
    case changing

    /// What a reader sees.
    public var title: String {
        switch self {
        case .bulkImport: "Import"
        case .smallSaves: "Many small saves"
        case .editing: "Editing during an import"
        case .changing: "Updates and deletes of what is listed"
        }
    }

    /// A sentence on what is done.
    func summary(_ settings: WorkloadSettings) -> String {
        let workers = "\(settings.workerCount) workers"
        let list = "\(settings.listedCategoryCount) of \(Item.categoryCount) categories"
        switch self {
        case .bulkImport:
            return "\(workers) insert the rows, \(settings.batchSize) to a save, while a results "
                + "controller on main lists \(list)."
        case .smallSaves:
            return "\(settings.workerCount * 2) workers insert a tenth of the rows, 10 to a save; "
                + "main lists \(list)."
        case .editing:
            return "Main changes and saves one of the rows that it lists every 10 ms, while "
                + "\(workers) import."
        case .changing:
            return "Main lists a tenth of the rows; \(workers) update each of them, then delete "
                + "one in ten, \(settings.batchSize) to a save."
        }
    }

    /// What is done, in data.
    func plan(rows: Int, _ settings: WorkloadSettings) -> WorkPlan {
        let count = settings.workerCount
        let batch = settings.batchSize
        let tenth = max(rows / 10, 1)
        let listed = settings.listedCategoryCount
        func inserts(_ numbers: Range<Int>, by size: Int, to workers: Int)
            -> [[WorkPlan.Transaction]]
        {
            WorkPlan.deal(numbers, by: size, to: workers).map { $0.map { .insert($0) } }
        }
        switch self {
        case .bulkImport:
            return WorkPlan(
                workers: inserts(1..<rows + 1, by: batch, to: count),
                listedCategoryCount: listed
            )
        case .smallSaves:
            return WorkPlan(
                workers: inserts(1..<tenth + 1, by: 10, to: count * 2),
                listedCategoryCount: listed
            )
        case .editing:
            let numbers = (1...tenth).filter {
                Item($0, seed: settings.seed).category < listed
            }
            // Of few rows none may be in the categories that main lists.
            let editCount = numbers.isEmpty ? 0 : max(rows / 1_000, 10)
            // Workers only insert here: nobody else changes what main edits, so that no save
            // conflicts.
            return WorkPlan(
                seeds: 1..<tenth + 1,
                workers: inserts(tenth + 1..<tenth + rows + 1, by: batch, to: count),
                edits: (0..<editCount).map { numbers[$0 % numbers.count] },
                listedCategoryCount: listed
            )
        case .changing:
            // Main lists all categories here, so that each update and delete reaches the list.
            let updates = WorkPlan.deal(1..<tenth + 1, by: batch, to: count)
            return WorkPlan(
                seeds: 1..<tenth + 1,
                workers: updates.map { hand in
                    // Each worker deletes the first tenth of each batch that it has updated.
                    hand.map { .update($0) }
                        + hand.map { .delete($0.lowerBound..<$0.lowerBound + ($0.count + 9) / 10) }
                }
            )
        }
    }
}

/// What can be set of all workloads.
public struct WorkloadSettings: Codable, Hashable, Sendable {
    /// How many threads import.
    public var workerCount = 2
    /// How many rows they save at once.
    public var batchSize = 1_000
    /// Main lists the rows of so many of the 50 categories.
    public var listedCategoryCount = 1
    /// Other rows come from another seed.
    public var seed: UInt64 = 17

    /// Two workers, batches of 1,000, one of the 50 categories listed.
    public init() {}
}
