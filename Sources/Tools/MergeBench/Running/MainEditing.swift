import CoreData
import MergeStack
import Threads

/// Someone at the screen: changes a listed row and saves it, again and again.
struct MainEditing: Sendable {
    /// How long the next edit waits after the one before was made.
    private static let pause = DispatchTimeInterval.milliseconds(10)

    let stack: any MeasuredStack
    let items: [Item]

    /// Edits and saves the rows with these numbers in turn, and waits for the last save.
    ///
    /// > Threading: Off the main queue.
    func run(_ numbers: [Int]) throws {
        let saves = DispatchGroup()
        let failure = Guarded<(any Error)?>(nil)
        for (turn, number) in numbers.enumerated() {
            try DispatchQueue.main.sync {
                try edit(items[number], turn: turn)
                // Before the save begins, whose completion may come on another thread before the
                // next line runs.
                saves.enter()
                stack.saveMain { error in
                    failure.withLock { $0 = $0 ?? error }
                    saves.leave()
                }
            }
            // Waits for nothing, but only so long.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.pause)
        }
        saves.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func edit(_ item: Item, turn: Int) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "number == %lld", item.number)
        guard let object = try stack.mainContext.fetch(request).first else {
            throw BenchmarkError("The main context lacks the row with number \(item.number).")
        }
        item.edited(turn).write(to: object, changedFrom: item)
    }
}
