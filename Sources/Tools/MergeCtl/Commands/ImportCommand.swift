import CoreData
import MergeExchange
import MergeStack

/// `mergectl import`: imports files into a store.
enum ImportCommand: Command {
    enum DeliveryChoice: String, CaseIterable {
        case async, sync
    }

    static let syntax = CommandSyntax(
        name: "import",
        summary: "Import CSV and JSON files into a store.",
        operands: "FILE…",
        operandCount: 1...Int.max,
        options: [
            .value(
                "model",
                "FILE",
                "The model, a .xcdatamodeld, .xcdatamodel, .momd or .mom.",
                isRequired: true
            ),
            .value("store", "STORE", "The store; it is made if it is not there.", isRequired: true),
            .value("entity", "NAME", "What the records are.", isRequired: true),
            .value("batch", "N", "Records per save; 1000 if not given."),
            .value("workers", "N", "Background contexts at work at once; 1 if not given."),
            .choice(
                "delivery",
                DeliveryChoice.self,
                "Whether a save waits for its merge (sync); async if not given."
            ),
            .flag("confinement", "Use confinement contexts, each on a thread of its own."),
            .flag("strict", "Keep nothing of a file that has a bad record."),
            .value(
                "max-errors",
                "N",
                "Stop after the batch that has the Nth bad record; any number if not given."
            ),
            .flag("accept-errors", "End with code 0 although records were bad."),
            .flag(
                "dry-run",
                "Say what would come of it, in a copy of the store that is thrown away."
            ),
            .format,
        ] + CommandSyntax.Option.ofServer,
        discussion: [
            "Files end in .csv, .tsv, .json, .jsonl or .ndjson. A column or key belongs to the",
            "property of its name, unless the user info of the model says otherwise:",
            "",
            "  mappedKeyName       attribute, relationship: the column; more in mappedKeyName.0 to .9.",
            "                      Points lead into objects of JSON: address.city",
            "  dateFormat          attribute: how a date is written, such as dd.MM.yyyy",
            "  relatedByAttribute  entity: its key, by which a record finds its object again;",
            "                      relationship: the key of the objects that the column names",
            "  separator           relationship: what parts several keys in one column",
            "",
            "Bad records are left out; the first ten are told with file, line, number and key, and",
            "all of them by cause with what to do. Of a file that is cut off all complete records are",
            "imported. Lists and objects that the model has no place for are told once.",
            "",
            "Ends with code 0 if all records were imported, 1 if some were bad, 2 if there was",
            "nothing that could be read, 130 if it was interrupted; what was saved by then is kept.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        var options = ImportOptions()
        options.batchSize = try arguments.integer("batch", default: 1000, in: 1...1_000_000)
        let workerCount = try arguments.integer("workers", default: 1, in: 1...64)
        let kind: BackgroundContextKind =
            arguments.has("confinement") ? .confinement : .privateQueue
        options.workers = Array(repeating: kind, count: workerCount)
        options.isStrict = arguments.has("strict")
        let delivery = try arguments.choice("delivery", default: DeliveryChoice.async)
        let entity = try arguments.required("entity")
        for file in arguments.operands where !FileManager.default.fileExists(atPath: file) {
            Terminal.printError("mergectl: There is no file \(file). Check the path.")
            throw ToolEnd(code: 2)
        }
        let limit =
            try arguments["max-errors"] == nil
            ? nil : arguments.integer("max-errors", default: 1, in: 1...Int.max)
        let store = try StoreName(arguments.required("store"), arguments)
        let format = try arguments.choice("format", default: ReportFormat.text)
        let model = try StoreAccess.model(arguments.required("model"))
        let trial = arguments.has("dry-run") ? try TrialStore(of: store, model) : nil
        defer { trial?.remove() }
        let session = try ImportSession(
            model: model,
            store: trial?.name ?? store,
            delivery: delivery == .sync ? .synchronous : .asynchronous,
            talks: format == .text
        )
        var report = ImportReport(store: store.text, entity: entity, isDryRun: trial != nil)
        var total = ImportResult()
        do {
            for file in arguments.operands where !total.isCancelled {
                let result = try read(file, entity, options, limit, in: session, &report)
                total.add(result)
            }
        } catch {
            report.exitCode = (error as? ToolEnd)?.code ?? 1
            if format == .json { try Terminal.print(JSONReport.text(report)) }
            throw error
        }
        if format == .text {
            session.printReport(total)
            let described = session.stack.coordinator.managedObjectModel.entitiesByName[entity]
            let hint = try described.flatMap {
                try MissingIndex.hint($0, recordCount: total.rowCount)
            }
            if let hint { Terminal.printError("mergectl: \(hint)") }
        }
        try StoreAccess.close(session.stack)
        if trial != nil, format == .text {
            Terminal.print("This was a dry run: \(store.text) is as it was.")
        }
        report.exitCode = exitCode(total, limit, acceptsErrors: arguments.has("accept-errors"))
        if format == .json { try Terminal.print(JSONReport.text(report)) }
        if report.exitCode != 0 { throw ToolEnd(code: report.exitCode) }
    }

    private static func exitCode(
        _ total: ImportResult,
        _ limit: Int?,
        acceptsErrors: Bool
    ) -> Int32 {
        if total.isCancelled, limit.map({ total.failedCount < $0 }) ?? true { return 130 }
        if acceptsErrors, !total.isCancelled { return 0 }
        if total.rowCount == total.unreadableCount { return 2 }
        return total.failedCount > 0 ? 1 : 0
    }

    /// Imports a file; one that is nothing that an import reads ends the tool with code 2.
    private static func read(
        _ file: String,
        _ entity: String,
        _ options: ImportOptions,
        _ limit: Int?,
        in session: ImportSession,
        _ report: inout ImportReport
    ) throws -> ImportResult {
        var entry = ImportReport.File(file)
        defer { report.files.append(entry) }
        do {
            let result = try session.importFile(
                file,
                entity: entity,
                options: options,
                maximumFailureCount: limit,
                report: { entry.failures = $0.counts }
            )
            entry.take(result)
            if result.rowCount == 0, !result.isCancelled {
                Terminal.printError("mergectl: \(file) has no records, so nothing came of it.")
            }
            return result
        } catch let error as MergeStackError where error.code == .unreadableFile {
            entry.error = error.localizedDescription
            Terminal.printError("mergectl: \(error.localizedDescription)")
            throw ToolEnd(code: 2)
        } catch {
            entry.error = error.localizedDescription
            throw error
        }
    }
}
