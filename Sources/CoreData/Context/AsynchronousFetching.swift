import Foundation

/// An asynchronous fetch of any result type, for the engine.
protocol AnyAsynchronousFetchRequest: NSPersistentStoreRequest {
    /// Begins to fetch.
    func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}

extension NSAsynchronousFetchRequest: AnyAsynchronousFetchRequest {
    func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        guard context.queue != nil else {
            throw CocoaError.coreData(
                "An asynchronous fetch needs a context with a queue: make it with a concurrency "
                    + "type other than confinement."
            )
        }
        let progress = Progress(totalUnitCount: Int64(max(0, estimatedResultCount)))
        let result = NSAsynchronousFetchResult(self, context, progress)
        // Weak: the progress has the handler below, which has this. To take the handler away in the end
        // would do as well, but clients cancel on any thread meanwhile, and Foundation's `Progress` for
        // Linux has no lock around it.
        let cancellation = FetchCancellation { [weak progress] in
            progress?.completedUnitCount = Int64($0)
        }
        progress.isCancellable = true
        progress.cancellationHandler = { cancellation.cancel() }
        result.cancellation = cancellation
        // Planned here, on the context's queue: the other thread gets stores and copies, and never
        // the context.
        let work = try context.backgroundWork(for: fetchRequest, cancellation)
        // The result is used on the context's queue only; the other thread just carries it there.
        nonisolated(unsafe) let carried = result
        // What this thread reads is thrown away but for the row cache: the fetch itself is made on
        // the context's queue below, from rows that are decoded already.
        DispatchQueue.global().async {
            let rows = Result { try work.map { try $0.read() } }
            context.perform { carried.finish(rows, cancellation) }
        }
        return result
    }
}

extension NSAsynchronousFetchResult {
    /// Takes what was read in the background.
    fileprivate func finish(
        _ rows: Result<[BackgroundRows], any Error>,
        _ cancellation: FetchCancellation
    ) {
        do {
            let rows = try rows.get()
            if cancellation.isCancelled || progress?.isCancelled == true {
                throw CocoaError(.userCancelled)
            }
            // The rows are in the row cache for as long as `rows` is here, so that what the fetch
            // reads again it need not decode again.
            let results = try withExtendedLifetime(rows) {
                try managedObjectContext.fetch(fetchRequest.fetchRequest)
            }
            finalResult = results
            if let progress {
                progress.totalUnitCount = Int64(results.count)
                progress.completedUnitCount = Int64(results.count)
            }
        } catch {
            operationError = error
        }
        fetchRequest.completionBlock?(self)
    }
}

extension NSFetchRequest: ContextRequest {
    func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let request = NSAsynchronousFetchRequest(fetchRequest: self)
        let result = NSAsynchronousFetchResult(request, context, nil)
        result.finalResult = try context.fetch(self)
        return result
    }
}

/// Rows that a background thread has read.
struct BackgroundRows: @unchecked Sendable {
    // @unchecked: rows are immutable.
    let rows: [Row]
}

/// What a background thread reads of one store.
struct BackgroundWork: @unchecked Sendable {
    // @unchecked: the plan's predicate and sort descriptors are copies that only this has.
    let store: any RowStore
    let plan: FetchPlan

    func read() throws -> BackgroundRows { BackgroundRows(rows: try store.rows(plan)) }
}

extension NSManagedObjectContext {
    /// What can be read for a request away from the context's queue: the rows of a store, not what
    /// a parent context has unsaved.
    fileprivate func backgroundWork(
        for request: any AnyFetchRequest,
        _ cancellation: FetchCancellation
    ) throws -> [BackgroundWork] {
        var plan = try plan(request)
        guard source.isStoreLevel else { return [] }
        plan.cancellation = cancellation
        plan.predicate = plan.predicate?.copy() as? NSPredicate
        return stores(plan, request).map { BackgroundWork(store: $0, plan: plan) }
    }
}
