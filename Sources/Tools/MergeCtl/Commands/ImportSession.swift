import CoreData
import MergeBench
import MergeExchange
import MergeStack

/// A stack that files are imported into while its main queue is watched, and the report on it.
final class ImportSession: Sendable {
    let stack: NotificationMergeStack
    private let monitor = MainQueueMonitor()

    init(
        model: NSManagedObjectModel,
        store: String,
        delivery: MergeOptions.Delivery
    ) throws {
        let monitor = monitor
        let options = MergeOptions(delivery: delivery) { report in
            if report.dropReason == nil {
                monitor.note(busySeconds: report.longestSliceTime.seconds)
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

    /// Imports a file, shows how far it is, and prints its counts.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - entity: What its records are.
    ///   - options: How to import; its hooks are used here as well.
    ///   - showsProgress: Whether to draw; a demo draws something else.
    /// - Returns: The counts.
    /// - Throws: What the importer throws.
    func importFile(
        _ path: String,
        entity: String,
        options: ImportOptions,
        showsProgress: Bool = true
    ) throws -> ImportResult {
        let url = URL(fileURLWithPath: path)
        var options = options
        let printer = ProgressPrinter(label: url.lastPathComponent)
        options.onProblem = { problem in
            printer.interrupt { Terminal.printError("mergectl: \(problem)") }
        }
        let onProgress = options.onProgress
        options.onProgress = { progress in
            if showsProgress {
                printer.show(fraction: progress.fraction, detail: "\(progress.rowCount) rows")
            }
            onProgress?(progress)
        }
        let importer = Importer(stack: stack, options: options)
        let result = try importer.importFileAndWait(at: url, entityName: entity)
        // What is imported counts when the main context shows it.
        stack.merger.waitUntilSettled()
        let detail = Self.summary(result)
        if showsProgress {
            printer.finish(detail: detail)
        }
        if !result.unknownColumns.isEmpty {
            Terminal.print(
                "  not in the model, left out: " + result.unknownColumns.joined(separator: ", ")
            )
        }
        return result
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
            ("time", String(format: "%.3f s", result.duration.seconds)),
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
