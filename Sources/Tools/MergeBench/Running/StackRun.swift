import CoreData

/// A plan carried out on a stack, with the main queue watched.
///
/// > Threading: Off the main queue, which must be served by the main thread.
struct StackRun: Sendable {
    /// What was measured; ``RunResult`` is made of it.
    struct Figures {
        var savedSeconds: Double
        var shownSeconds: Double
        var listChangeCount: Int
        var mainQueue: MainQueueFigures
        var merges: MergeCounts?
        var outcome: RunOutcome
    }

    let stack: any MeasuredStack
    let plan: WorkPlan
    /// By number; the one with number 0 is never used.
    let items: [Item]

    func measure() throws -> Figures {
        let monitor = MainQueueMonitor()
        let clock = Clock()
        let list = MainQueueBox<LiveList?>(nil)
        try DispatchQueue.main.sync {
            list.value = try LiveList(
                categoriesBelow: plan.listedCategoryCount,
                in: stack.mainContext,
                clock: clock
            )
        }
        // From here on: the list's first fetch is not part of what is measured.
        let processor = Clock.mainThreadSeconds
        monitor.start()
        let begun = clock.seconds
        let saved = try work(clock)
        try stack.waitUntilShown()
        // Behind the wait: what main does to show the last saves belongs to the measurement.
        let queue = monitor.stop()
        let processorSeconds = Clock.mainThreadSeconds - processor
        return try DispatchQueue.main.sync {
            // Let go of here, for the list and its controller belong to the main queue.
            defer { list.value = nil }
            guard let list = list.value else { throw BenchmarkError("The list is gone.") }
            return Figures(
                savedSeconds: saved - begun,
                // A list that has never changed says 0, which is before the beginning.
                shownSeconds: max(list.lastChange, begun) - begun,
                listChangeCount: list.changeCount,
                mainQueue: MainQueueFigures(queue, processorSeconds: processorSeconds),
                merges: stack.mergeCounts,
                outcome: try outcome(list)
            )
        }
    }

    /// Runs the workers and the edits, and says when the workers' last save had returned.
    private func work(_ clock: Clock) throws -> Double {
        let threads = WorkerThreads()
        for (index, transactions) in plan.workers.enumerated() {
            threads.start("worker \(index + 1)") {
                for transaction in transactions {
                    try stack.performInBackground { try transaction.carryOut(in: $0, items) }
                }
            }
        }
        // Apart from the workers, whose time must not hold the pauses between edits.
        let editing = WorkerThreads()
        if !plan.edits.isEmpty {
            editing.start("editing") {
                try MainEditing(stack: stack, items: items).run(plan.edits)
            }
        }
        try threads.join()
        let saved = clock.seconds
        try editing.join()
        return saved
    }

    /// What main shows: the list's objects with the values that they have in the main context.
    private func outcome(_ list: LiveList) throws -> RunOutcome {
        // Of the objects as main has them, not of the store: this shows that each save has reached
        // main.
        var checksum = Checksum()
        for object in list.objects {
            checksum.add(object.integer("number"))
            checksum.add(object.integer("score"))
            checksum.add(object.text("name"))
            checksum.add(object.text("text"))
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        return RunOutcome(
            checksum: checksum.text,
            listedCount: list.objects.count,
            storedCount: try stack.mainContext.count(for: request)
        )
    }
}
