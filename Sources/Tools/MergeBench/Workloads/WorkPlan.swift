/// What is done in a run, in data: the same for every layout and for bare SQLite.
struct WorkPlan: Equatable, Sendable {
    /// What a worker saves at once.
    enum Transaction: Equatable, Sendable {
        case insert(Range<Int>)
        case update(Range<Int>)
        case delete(Range<Int>)

        /// The items, by number.
        var numbers: Range<Int> {
            switch self {
            case .insert(let numbers), .update(let numbers), .delete(let numbers): numbers
            }
        }
    }

    /// The items that are in the store before.
    var seeds: Range<Int> = 1..<1
    /// The transactions of each worker, in order.
    var workers: [[Transaction]] = []
    /// The items that main edits and saves one after the other while the workers are at it.
    var edits: [Int] = []
    /// A results controller on main lists the items of the categories below this.
    var listedCategoryCount = Item.categoryCount

    /// How many rows the workers write.
    var rowCount: Int { workers.joined().reduce(0) { $0 + $1.numbers.count } }
    /// How many saves the workers make.
    var saveCount: Int { workers.reduce(0) { $0 + $1.count } }
    /// The largest number of an item.
    var lastNumber: Int {
        max(seeds.upperBound, workers.joined().map(\.numbers.upperBound).max() ?? 0) - 1
    }

    /// Deals numbers out to workers in turn, so many at once.
    static func deal(_ numbers: Range<Int>, by size: Int, to workerCount: Int) -> [[Range<Int>]] {
        // No number is dealt twice, so that no two workers change the same row and no save
        // conflicts.
        var hands = Array(repeating: [Range<Int>](), count: workerCount)
        for (turn, start) in stride(from: numbers.lowerBound, to: numbers.upperBound, by: size)
            .enumerated()
        {
            let end = min(start + size, numbers.upperBound)
            hands[turn % workerCount].append(start..<end)
        }
        return hands
    }
}
