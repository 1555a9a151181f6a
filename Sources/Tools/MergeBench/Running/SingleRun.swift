import CoreData
import Foundation

/// One measurement in this process.
///
/// Peak memory is the process's, so for that it should be the only one in it.
///
/// > Threading: Off the main queue, which must be served by the main thread.
public struct SingleRun {
    private let specification: RunSpecification
    private let layouts: [StackLayout]

    /// A measurement of one of these layouts, or of bare SQLite.
    public init(_ specification: RunSpecification, layouts: [StackLayout]) {
        self.specification = specification
        self.layouts = layouts
    }

    /// Copies the template, carries the plan out and takes everything down again.
    ///
    /// - Throws: ``BenchmarkError`` if there is no such layout; what the stack throws.
    public func measure() throws -> RunResult {
        let plan = specification.workload.plan(
            rows: specification.rowCount,
            specification.settings
        )
        // The rows are made before, so that making them is not measured.
        let items = (0...plan.lastNumber).map { Item($0, seed: specification.settings.seed) }
        return try TemporaryFolder.with("run") { folder in
            let store = try StoreTemplate(folder: specification.template).copy(to: folder)
            // Only now, since rows and copy have taken memory that is not the layout's.
            ProcessMemory.forgetPeak()
            let before = ProcessMemory.byteCount ?? 0
            var result =
                specification.layout == StackLayout.bareName
                ? try measureBare(store, plan, items) : try measureStack(store, plan, items)
            result.peakByteCount = ProcessMemory.peakByteCount
            result.peakRiseByteCount = max(result.peakByteCount - before, 0)
            return result
        }
    }

    private func measureBare(_ store: URL, _ plan: WorkPlan, _ items: [Item]) throws -> RunResult {
        let run = BareRun(database: try SQLiteDatabase(store), plan: plan, items: items)
        let seconds = try run.run()
        return result(plan, savedSeconds: seconds, try run.outcome())
    }

    private func measureStack(_ store: URL, _ plan: WorkPlan, _ items: [Item]) throws -> RunResult {
        guard let layout = layouts.first(where: { $0.name == specification.layout }) else {
            throw BenchmarkError("There is no layout \(specification.layout) here.")
        }
        let description = NSPersistentStoreDescription(url: store)
        let stack = try layout.make(ItemModel.makeForStacks(), description)
        let figures = try StackRun(stack: stack, plan: plan, items: items).measure()
        // The stores close before their folder is removed.
        try DispatchQueue.main.sync { try stack.tearDown() }
        var result = result(plan, savedSeconds: figures.savedSeconds, figures.outcome)
        result.shownSeconds = figures.shownSeconds
        result.listChangeCount = figures.listChangeCount
        result.mainQueue = figures.mainQueue
        result.merges = figures.merges
        return result
    }

    private func result(
        _ plan: WorkPlan,
        savedSeconds: Double,
        _ outcome: RunOutcome
    ) -> RunResult {
        RunResult(
            layout: specification.layout,
            workload: specification.workload,
            sizeRowCount: specification.rowCount,
            round: specification.round,
            writtenRowCount: plan.rowCount,
            saveCount: plan.saveCount,
            savedSeconds: savedSeconds,
            peakByteCount: 0,
            peakRiseByteCount: 0,
            listedRowCount: outcome.listedCount,
            storedRowCount: outcome.storedCount,
            checksum: outcome.checksum
        )
    }
}
