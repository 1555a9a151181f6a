import CoreData
import Dispatch
import MergeStack
import Threads

/// One file's import: the workers, what they share, and what they came to.
final class ImportJob: Sendable {
    private struct State {
        var result = ImportResult()
        var problems: [ImportProblem] = []
        var deferred: [BatchImporter.Deferred] = []
        var unknown = UnknownColumns.Found()
        var isCancelled = false
        var failure: (any Error)?
    }

    private let stack: any ContextStack
    private let options: ImportOptions
    private let file: String
    private let byteCount: Int
    private let mapping: EntityMapping
    private let unknownColumns: UnknownColumns
    private let indexes: [RelatedObjectIndex?]
    private let queue: ImportQueue
    private let state = Guarded(State())

    init(
        stack: any ContextStack,
        options: ImportOptions,
        reader: any RecordReader,
        file: String,
        byteCount: Int,
        entityName: String
    ) throws {
        self.stack = stack
        self.options = options
        self.file = file
        self.byteCount = byteCount
        let entity = try stack.coordinator.managedObjectModel.entity(
            named: entityName,
            orThrow: .invalidMapping
        )
        guard !entity.isAbstract else {
            throw MergeStackError(
                .invalidMapping,
                "The entity \"\(entityName)\" is abstract; import into one of its subentities."
            )
        }
        mapping = try EntityMapping(entity)
        unknownColumns = UnknownColumns(mapping)
        indexes = mapping.relationships.map { RelatedObjectIndex($0) }
        queue = ImportQueue(
            reader: reader,
            file: file,
            mapping: mapping,
            batchSize: options.batchSize
        )
    }

    /// Does the import on threads of its own and waits for them.
    func run(progress: Progress?) throws -> ImportResult {
        let start = MergeClock.system.now()
        progress?.totalUnitCount = Int64(byteCount)
        // Looked at between batches: a cancellation handler would be set while whoever cancels reads it,
        // and Foundation's `Progress` for Linux has no lock around it.
        if progress?.isCancelled == true { cancel() }
        let report: @Sendable () -> Void
        let box = Guarded(progress)
        report = { [self] in
            let done = queue.consumedByteCount
            let rowCount = state.withLock { $0.result.rowCount }
            // Under a lock: the workers report at the same time.
            box.withLock { $0?.completedUnitCount = Int64(done) }
            let fraction = byteCount > 0 ? min(Double(done) / Double(byteCount), 1) : 1
            options.onProgress?(ImportProgress(fraction: fraction, rowCount: rowCount))
            if box.withLock({ $0?.isCancelled == true }) { cancel() }
        }
        if options.isStrict {
            try runStrict(report)
        } else {
            runWorkers(report)
        }
        var (result, failure) = state.withLock { ($0.result, $0.failure) }
        if let failure = failure ?? queue.failure { throw failure }
        result.isCancelled = state.withLock { $0.isCancelled }
        let unknown = state.withLock { $0.unknown }
        result.unknownColumns = unknown.all.sorted()
        result.nestedColumns = unknown.nested.sorted()
        result.duration = MergeClock.system.now() - start
        return result
    }

    private func cancel() {
        state.withLock { $0.isCancelled = true }
        queue.end()
    }

    // MARK: Workers

    private func runWorkers(_ report: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        for (number, kind) in options.workers.enumerated() {
            group.enter()
            let name = "\(file), worker \(number + 1)"
            ContextThread.start(name: name) { [self] in
                defer { group.leave() }
                do {
                    try work(kind, name: name, report)
                } catch {
                    fail(error)
                }
            }
        }
        group.wait()
        // Connections within the tree come after the last batch: a record may name one that another
        // worker had, or that stands further down in the file.
        let deferred = state.withLock { state in
            defer { state.deferred = [] }
            return state.failure == nil && !state.isCancelled ? state.deferred : []
        }
        guard !deferred.isEmpty else { return }
        do {
            try connect(deferred, kind: options.workers[0])
        } catch {
            fail(error)
        }
    }

    private func work(
        _ kind: BackgroundContextKind,
        name: String,
        _ report: @Sendable () -> Void
    ) throws {
        var importer = makeImporter(kind)
        while let batch = queue.next() {
            // Also if it fails: other workers wait for its keys.
            defer { queue.finish(batch) }
            noteColumns(of: batch)
            // A context for each batch: it is thrown away with all its objects.
            let outcome = try stack.performBackgroundAndWait(kind, name: name, saves: false) {
                try importer.run(batch.records, in: $0)
            }
            take(outcome, readProblems: batch.problems)
            report()
        }
    }

    private func makeImporter(_ kind: BackgroundContextKind) -> BatchImporter {
        BatchImporter(
            file: file,
            mapping: mapping,
            indexes: indexes,
            stack: stack
        ) { [stack, file] body in
            // In a context of their own, which saves them at once: other workers refer to them,
            // whatever becomes of the batch that was the first to name them.
            let name = "\(file), related objects"
            return try stack.performBackgroundAndWait(kind, name: name, saves: false, body)
        }
    }

    private func connect(_ deferred: [BatchImporter.Deferred], kind: BackgroundContextKind) throws {
        let importer = makeImporter(kind)
        var rest = deferred[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(options.batchSize))
            rest = rest.dropFirst(options.batchSize)
            let name = "\(file), relationships"
            let outcome = try stack.performBackgroundAndWait(kind, name: name, saves: false) {
                try importer.connect(batch, in: $0)
            }
            take(outcome, readProblems: [])
        }
    }

    // MARK: Strict

    private func runStrict(_ report: @escaping @Sendable () -> Void) throws {
        let name = "\(file), strict"
        let kind = options.workers[0]
        try stack.performBackgroundAndWait(kind, name: name, saves: false) { context in
            var importer = BatchImporter(
                file: file,
                mapping: mapping,
                indexes: indexes,
                stack: stack,
                withRelatedContext: nil
            )
            while let batch = queue.next() {
                noteColumns(of: batch)
                take(try importer.run(batch.records, in: context), readProblems: batch.problems)
                queue.finish(batch)
                report()
            }
            // Before the save: all of the file counts, or nothing.
            if let failure = queue.failure { throw failure }
            let (deferred, isCancelled) = state.withLock { ($0.deferred, $0.isCancelled) }
            if isCancelled {
                // The context is left unsaved, so none of what was counted is in the store.
                state.withLock { $0.result = ImportResult() }
                return
            }
            take(try importer.connect(deferred, in: context), readProblems: [])
            let problems = state.withLock { $0.problems }
            if let first = problems.first {
                throw MergeStackError(
                    .importFailed,
                    "Nothing of \(file) was kept, since \(problems.count) of its records are bad, "
                        + "the first of them \(first)",
                    underlyingError: first
                )
            }
            guard context.hasChanges else { return }
            try stack.saveAndWait(context)
            state.withLock { $0.result.saveCount += 1 }
        }
    }

    // MARK: What came of it

    private func take(_ outcome: BatchImporter.Outcome, readProblems: [ImportProblem]) {
        let problems = readProblems + outcome.problems
        state.withLock { state in
            state.result.add(outcome.result)
            state.result.rowCount += readProblems.count
            state.result.unreadableCount += readProblems.count
            state.result.failedCount += problems.count
            if options.isStrict { state.problems += problems }
            state.deferred += outcome.deferred
        }
        // Without the lock: the client's closure may take its time, and the other workers need the
        // state.
        if let onProblem = options.onProblem { problems.forEach(onProblem) }
    }

    private func noteColumns(of batch: ImportQueue.Batch) {
        let found = unknownColumns.found(in: batch.records)
        guard !found.all.isEmpty else { return }
        state.withLock { $0.unknown.formUnion(found) }
    }

    private func fail(_ error: any Error) {
        state.withLock { state in
            if state.failure == nil { state.failure = error }
        }
        queue.end()
    }
}
