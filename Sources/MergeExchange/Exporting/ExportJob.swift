import CoreData
import MergeStack
import Threads

/// One file's export.
struct ExportJob {
    private let context: NSManagedObjectContext
    private let entityName: String
    private let columns: ExportColumns
    private let options: ExportOptions
    private let format: ExportFormat
    private let url: URL
    private var result = ExportResult()

    init(
        _ coordinator: NSPersistentStoreCoordinator,
        entityName: String,
        to url: URL,
        format: ExportFormat,
        options: ExportOptions
    ) throws {
        let entity = try coordinator.managedObjectModel.entity(
            named: entityName,
            orThrow: .invalidMapping
        )
        // On the coordinator in every stack: an export shows what is in the store, and keeps no
        // other context waiting.
        context = .make(.privateQueueConcurrencyType, on: coordinator, name: "export")
        context.undoManager = nil
        self.entityName = entityName
        columns = try ExportColumns(entity)
        self.options = options
        self.format = format
        self.url = url
    }

    /// Writes the file, and puts it in place.
    mutating func run(progress: Progress?) throws -> ExportResult {
        let start = MergeClock.system.now()
        var reader = PageReader(entityName, options, prefetching: columns.prefetched)
        let total = try context.inside { try context.count(for: countRequest) }
        progress?.totalUnitCount = Int64(total)
        let file = try ReplacingFile(at: url)
        try file.write(head)
        while true {
            if progress?.isCancelled == true { throw CocoaError(.userCancelled) }
            // Each page in a block of its own, after which what the page used is released.
            let registeredCount = try context.inside {
                try writePage(from: &reader, to: file)
            }
            guard let registeredCount else { break }
            // Rows that others insert meanwhile are written too, and must not lead beyond the
            // total.
            progress?.completedUnitCount = Int64(min(result.rowCount, total))
            options.onProgress?(
                ExportProgress(
                    rowCount: result.rowCount,
                    totalCount: total,
                    registeredCount: registeredCount
                )
            )
        }
        try file.write(tail)
        try file.place()
        result.byteCount = file.byteCount
        result.leftOut = columns.leftOut
        result.duration = MergeClock.system.now() - start
        return result
    }

    private var countRequest: NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.predicate = options.predicate
        return request
    }

    /// Writes the next page and forgets its objects.
    ///
    /// - Returns: How many objects were in memory; nil if there was no page any more.
    private mutating func writePage(
        from reader: inout PageReader,
        to file: ReplacingFile
    ) throws -> Int? {
        let page = try reader.next(in: context)
        guard !page.isEmpty else { return nil }
        for object in page {
            try file.write(line(columns.values(of: object), isFirst: result.rowCount == 0))
            result.rowCount += 1
        }
        // Deferred, since the number returned is that of before. Without the reset the context
        // would hold each object that has been written.
        defer { context.reset() }
        return context.registeredObjects.count
    }

    // MARK: Text

    private var head: String {
        guard let delimiter = format.delimiter else { return format == .json ? "[" : "" }
        return joined(columns.names, by: delimiter)
    }

    private var tail: String {
        guard format == .json else { return "" }
        return result.rowCount == 0 ? "]\n" : "\n]\n"
    }

    private func line(_ values: [FieldValue], isFirst: Bool) -> String {
        if let delimiter = format.delimiter {
            return joined(values.map { $0.plain ?? "" }, by: delimiter)
        }
        let fields = zip(columns.names, values).map { FieldText.json($0) + ": " + $1.json }
        let object = "{" + fields.joined(separator: ", ") + "}"
        if format == .jsonLines { return object + "\n" }
        // The comma goes before an object, since whether another one follows is not known yet.
        return (isFirst ? "\n" : ",\n") + object
    }

    private func joined(_ fields: [String], by delimiter: Character) -> String {
        FieldText.record(fields, by: delimiter) + "\r\n"
    }
}
