import CoreData
import Dispatch
import MergeStack
import Threads

/// Imports records from CSV and JSON files in background contexts of a stack.
///
/// The user info of the model maps columns or keys to properties, with the keys that MagicalRecord
/// uses: `mappedKeyName` and `dateFormat` of attributes; `mappedKeyName`, `relatedByAttribute` and
/// `separator` of relationships; `relatedByAttribute` of entities. Without them a column belongs to
/// the property of its name.
///
/// `relatedByAttribute` or `primaryAttribute` names the key attribute of an entity; without them it
/// is an attribute such as `airportID` of an entity `Airport`. Where there is one, a record updates
/// the object that has its key, or creates one; only values that differ are set. Objects that
/// records refer to are found by their key, or created.
///
/// ```swift
/// let importer = Importer(stack: stack)
/// let result = try await importer.importFile(at: url, entityName: "Airport")
/// print("\(result.createdCount) created, \(result.failedCount) bad")
/// ```
///
/// > Threading: Any thread. Don't call the blocking form on the main queue, which has to merge
/// > meanwhile.
public final class Importer: Sendable {
    private let stack: any ContextStack
    private let options: ImportOptions

    /// Makes an importer.
    public init(stack: any ContextStack, options: ImportOptions = ImportOptions()) {
        guard options.batchSize > 0 else {
            fatalError("Importer: the batch size must be greater than 0.")
        }
        guard !options.workers.isEmpty else { fatalError("Importer: there must be a worker.") }
        self.stack = stack
        self.options = options
    }

    /// Imports a file, and returns when all of it is saved.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - entityName: What its records are.
    ///   - format: Its format; told by its name if nil.
    ///   - progress: Is kept up to date, in bytes of the file; cancelling it ends the import after
    ///     the batches under way.
    /// - Returns: The counts. After a cancellation what was saved stays, unless strict.
    /// - Throws: `MergeStackError` with code `unreadableFile` or `invalidMapping`, or in strict
    ///   mode `importFailed`; what reading the store or a save throws that is no record's fault.
    ///   What was saved before stays.
    public func importFileAndWait(
        at url: URL,
        entityName: String,
        format: ImportFormat? = nil,
        progress: Progress? = nil
    ) throws -> ImportResult {
        let format = try format ?? ImportFormat(fileName: url.lastPathComponent)
        let window = try ByteWindow(url: url)
        // Of a link they would be its own, with the size of a path.
        let attributes = try FileManager.default.attributesOfItem(
            atPath: url.resolvingSymlinksInPath().path
        )
        let byteCount = (attributes[.size] as? NSNumber)?.intValue ?? 0
        let job = try ImportJob(
            stack: stack,
            options: options,
            reader: format.reader(window),
            file: url.lastPathComponent,
            byteCount: byteCount,
            entityName: entityName
        )
        return try job.run(progress: progress)
    }

    /// Imports a file in the background.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - entityName: What its records are.
    ///   - format: Its format; told by its name if nil.
    ///   - progress: Is kept up to date, in bytes of the file; cancelling it ends the import after
    ///     the batches under way.
    ///   - completion: Called on the main queue, when the main context shows all of it, with the
    ///     counts or with what ``importFileAndWait(at:entityName:format:progress:)`` throws.
    public func importFile(
        at url: URL,
        entityName: String,
        format: ImportFormat? = nil,
        progress: Progress? = nil,
        completion: @escaping @Sendable (Result<ImportResult, any Error>) -> Void
    ) {
        let progress = UncheckedProgress(progress: progress)
        ContextThread.start(name: "import") { [self] in
            let result = Result {
                try importFileAndWait(
                    at: url,
                    entityName: entityName,
                    format: format,
                    progress: progress.progress
                )
            }
            // The last saves may not be merged yet; the main context is to show them all when the
            // client is told.
            stack.settled { completion(result) }
        }
    }

    /// Imports a file, and returns when all of it is saved and the main context shows it.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - entityName: What its records are.
    ///   - format: Its format; told by its name if nil.
    ///   - progress: Is kept up to date, in bytes of the file; cancelling it ends the import after
    ///     the batches under way.
    /// - Returns: The counts. After a cancellation what was saved stays, unless strict.
    /// - Throws: As ``importFileAndWait(at:entityName:format:progress:)``.
    public func importFile(
        at url: URL,
        entityName: String,
        format: ImportFormat? = nil,
        progress: Progress? = nil
    ) async throws -> ImportResult {
        try await withCheckedThrowingContinuation { continuation in
            importFile(at: url, entityName: entityName, format: format, progress: progress) {
                continuation.resume(with: $0)
            }
        }
    }
}
