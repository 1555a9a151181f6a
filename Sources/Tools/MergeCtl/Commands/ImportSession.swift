import CoreData
import MergeBench
import MergeExchange
import MergeStack
import Threads

/// A stack that files are imported into while its main queue is watched, and the report on it.
final class ImportSession: Sendable {
    let stack: NotificationMergeStack
    /// Whether people read along; if not, nothing but failures is printed.
    private let talks: Bool
    private let monitor = MainQueueMonitor()

    init(
        model: NSManagedObjectModel,
        store: StoreName,
        delivery: MergeOptions.Delivery,
        talks: Bool = true
    ) throws {
        self.talks = talks
        let monitor = monitor
        let options = MergeOptions(delivery: delivery) { report in
            if report.dropReason == nil {
                monitor.note(busySeconds: report.longestSliceTime)
            }
        }
        stack = try StoreAccess.stack(
            model: model,
            store: store,
            mustExist: false,
            options: options
        )
        monitor.start()
    }

    /// Imports a file, shows how far it is, and prints its counts and what failed.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - entity: What its records are.
    ///   - options: How to import; its hooks are used here as well.
    ///   - maximumFailureCount: How many failures end the import; nil for any number.
    ///   - showsProgress: Whether to draw; a demo draws something else.
    ///   - report: Gets the failures by cause.
    /// - Returns: The counts.
    /// - Throws: What the importer throws; what stopped it in the middle says what was kept.
    func importFile(
        _ path: String,
        entity: String,
        options: ImportOptions,
        maximumFailureCount: Int? = nil,
        showsProgress: Bool = true,
        report: ((FailureBoard) -> Void)? = nil
    ) throws -> ImportResult {
        let showsProgress = showsProgress && talks
        let url = URL(fileURLWithPath: path)
        var options = options
        let printer = ProgressPrinter(label: url.lastPathComponent, quietInterval: 5)
        let pace = ImportPace()
        let board = FailureBoard(entity: entity)
        // Ended by too many failures, or by the user.
        let progress = Progress(totalUnitCount: 0)
        let interruption = Interruption { progress.cancel() }
        defer { interruption.end() }
        options.onProblem = { problem in
            let (count, line) = board.note(problem)
            if let line { printer.interrupt { Terminal.printError("mergectl: \(line)") } }
            if let maximumFailureCount, count >= maximumFailureCount { progress.cancel() }
        }
        let onProgress = options.onProgress
        let doneCount = Guarded(0)
        options.onProgress = { progress in
            doneCount.withLock { $0 = max($0, progress.rowCount) }
            if showsProgress {
                let fraction = progress.fraction
                let detail = pace.text(rowCount: progress.rowCount, fraction: fraction)
                printer.show(fraction: fraction, detail: detail)
            }
            onProgress?(progress)
        }
        defer { report?(board) }
        let result: ImportResult
        do {
            result = try Importer(stack: stack, options: options).importFileAndWait(
                at: url,
                entityName: entity,
                progress: progress
            )
        } catch {
            printer.end()
            let kept = options.isStrict ? 0 : doneCount.withLock { $0 } - board.failureCount
            throw Self.failure(error, path, kept: kept)
        }
        // What is imported counts when the main context shows it.
        stack.merger.waitUntilSettled()
        let detail = Self.summary(result)
        if showsProgress {
            printer.finish(detail: detail)
        }
        if talks { printLeftOut(result) }
        for line in board.summary { Terminal.printError(line) }
        if result.isCancelled {
            let kept = result.rowCount - result.failedCount
            let why = interruption.hasHappened ? "Interrupted" : "Too many failures"
            Terminal.printError(
                "\(why): \(options.isStrict ? "nothing" : "\(kept) records") of "
                    + "\(url.lastPathComponent) \(kept == 1 ? "is" : "are") in the store. Import the "
                    + "file again to go on."
            )
        }
        return result
    }

    /// Tells of columns that have no place in the model: plain ones, and lists and objects.
    private func printLeftOut(_ result: ImportResult) {
        let plain = result.unknownColumns.filter { !result.nestedColumns.contains($0) }
        if !plain.isEmpty {
            Terminal.print("  not in the model, left out: " + plain.joined(separator: ", "))
        }
        guard let first = result.nestedColumns.first else { return }
        Terminal.print(
            "  lists and objects, left out: " + result.nestedColumns.joined(separator: ", ")
                + "\n  to import a value inside, let mappedKeyName lead to it in the model "
                + "(\(first.contains(".") ? first : first + ".name")); a list of objects goes "
                + "into a file of its own, and a list of keys into a relationship"
        )
    }

    /// What to say where something stopped an import that is no record's fault.
    private static func failure(_ error: any Error, _ path: String, kept: Int) -> any Error {
        let name = (path as NSString).lastPathComponent
        let records = kept == 1 ? "1 record of \(name) is" : "\(kept) records of \(name) are"
        if error.isFullDisk {
            return CommandError(
                "The disk of the store is full: \(kept == 0 ? "nothing of \(name) is" : records) in "
                    + "the store. Free some space, and import the file again to go on."
            )
        }
        guard kept > 0 else { return error }
        return CommandError(
            "\(error.localizedDescription) \(records) in the store; import the file again to go on."
        )
    }

    /// The counts of an import in a line.
    static func summary(_ result: ImportResult) -> String {
        var parts = [
            "\(result.rowCount) rows", "\(result.createdCount) created",
            "\(result.updatedCount) updated", "\(result.unchangedCount) unchanged",
        ]
        if result.failedCount > 0 { parts.append("\(result.failedCount) failed") }
        return parts.joined(separator: ", ")
    }

    /// Prints what all imports came to.
    func printReport(_ result: ImportResult) {
        let queue = monitor.stop()
        let merges = stack.merger.statistics
        let rows = [
            ("rows", "\(result.rowCount)"),
            ("time", String(format: "%.3f s", result.duration)),
            ("rows per second", String(format: "%.0f", result.rowsPerSecond)),
            ("saves", "\(result.saveCount)"),
            ("merges", "\(merges.mergeCount)"),
            ("objects merged", "\(merges.mergedObjectCount)"),
            ("main queue busy, longest", String(format: "%.2f ms", queue.longestSeconds * 1000)),
            ("main queue busy, p99", String(format: "%.2f ms", queue.p99Seconds * 1000)),
        ]
        let width = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows {
            Terminal.print(name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + value)
        }
    }
}
