import CoreData
import Dispatch
import MergeStack
import Threads

/// Saves merged into a main context that many look at: observers of its changes, or results
/// controllers.
///
/// > Threading: Off the main queue, which must be served by the main thread.
struct AudienceRun {
    enum Audience { case observers, controllers }

    let audience: Audience
    /// How many there are.
    let count: Int
    /// By number; the one with number 0 is never used.
    let items: [Item]
    let batchSize: Int

    /// What main spends while all of the rows are merged and told of.
    ///
    /// - Throws: ``BenchmarkError`` if someone was not told of all rows.
    func measure() throws -> MergeTime {
        try TemporaryFolder.with("audience") { folder in
            let stack = try StackLayout.notificationMerge.make(
                ItemModel.makeForStacks(),
                NSPersistentStoreDescription(url: folder.appendingPathComponent("Items.sqlite"))
            )
            let seats = MainQueueBox(Seats())
            try DispatchQueue.main.sync { try fill(seats.value, of: stack.mainContext) }
            let time = try MergeTime(stack) {
                for numbers in WorkPlan.deal(1..<items.count, by: batchSize, to: 1)[0] {
                    try stack.performInBackground {
                        try WorkPlan.Transaction.insert(numbers).carryOut(in: $0, items)
                    }
                }
            }
            try DispatchQueue.main.sync {
                let toldCounts = seats.value.toldCounts
                seats.value.leave()
                try stack.tearDown()
                guard toldCounts == Array(repeating: expectedCount, count: count) else {
                    throw BenchmarkError("The main context did not tell everyone of all rows.")
                }
            }
            return time
        }
    }

    /// The categories whose items a results controller lists.
    private static let listedCategoryCount = 1

    /// Of how many rows each of them is to be told.
    private var expectedCount: Int {
        switch audience {
        case .observers: items.count - 1
        case .controllers: items.dropFirst().count { $0.category < Self.listedCategoryCount }
        }
    }

    private func fill(_ seats: Seats, of context: NSManagedObjectContext) throws {
        let clock = Clock()
        for _ in 0..<count {
            switch audience {
            case .observers: seats.observers.append(ChangeObserver(context))
            case .controllers:
                seats.lists.append(
                    try LiveList(
                        categoriesBelow: Self.listedCategoryCount,
                        in: context,
                        clock: clock
                    )
                )
            }
        }
    }
}

/// Who looks at a main context.
///
/// > Threading: On the main queue.
private final class Seats {
    var observers: [ChangeObserver] = []
    var lists: [LiveList] = []

    /// Of how many rows each was told.
    var toldCounts: [Int] { observers.map(\.insertedCount) + lists.map(\.objects.count) }

    func leave() {
        observers.forEach { $0.stop() }
        observers = []
        lists = []
    }
}

/// Counts what comes into a context, as a screen that keeps a number does.
///
/// > Threading: On the main queue.
private final class ChangeObserver: @unchecked Sendable {
    // @unchecked: its properties are touched on the main queue only, where the context posts.
    private var token: (any NSObjectProtocol)?
    private(set) var insertedCount = 0

    init(_ context: NSManagedObjectContext) {
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange,
            object: context,
            queue: nil
        ) { [weak self] notification in
            let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
            self?.insertedCount += inserted?.count ?? 0
        }
    }

    func stop() {
        if let token { NotificationCenter.default.removeObserver(token) }
        token = nil
    }
}
