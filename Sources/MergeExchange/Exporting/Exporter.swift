import CoreData
import Dispatch
import MergeStack
import Threads

/// Exports an entity's objects to CSV and JSON files, in the background.
///
/// Columns are named as an ``Importer`` with the same model expects them: the entity's key
/// attribute first, then its attributes, then its relationships, with the keys of related objects.
/// An empty text and none look the same in a file with columns. The rows are those in the store;
/// unsaved changes of contexts are not among them. A row that others insert, delete or change
/// meanwhile may be in the file as before or as after it; all other rows are in it once.
///
/// ```swift
/// let result = try await Exporter(stack: stack).exportFile(to: url, entityName: "Airport")
/// print("\(result.rowCount) rows")
/// ```
///
/// The file takes its place as a whole when it is complete: one that was there before is there
/// until then, and stays if the export fails or is cancelled.
///
/// > Threading: Any thread.
///
/// - Complexity: A page of objects in memory, however many there are. *n* rows in pages of *p* are
///   *n* / *p* fetches, each of which steps over the rows before its own.
public final class Exporter: Sendable {
    private let stack: any ContextStack
    private let options: ExportOptions

    /// Makes an exporter.
    public init(stack: any ContextStack, options: ExportOptions = ExportOptions()) {
        guard options.pageSize > 0 else {
            fatalError("Exporter: the page size must be greater than 0.")
        }
        self.stack = stack
        self.options = options
    }

    /// Exports an entity's objects, subentities included, and waits until the file is in place.
    ///
    /// - Parameters:
    ///   - url: The file; its folder must be there.
    ///   - entityName: The entity.
    ///   - format: Its format; told by its name if nil.
    ///   - progress: Is kept up to date, in rows; cancelling it ends the export.
    /// - Throws: `MergeStackError` with code `unwritableFile`, `invalidMapping`, `storeChanged` or
    ///   `invalidated`; `CocoaError.userCancelled`; what a fetch or writing the file throws.
    @discardableResult
    public func exportFileAndWait(
        to url: URL,
        entityName: String,
        format: ExportFormat? = nil,
        progress: Progress? = nil
    ) throws -> ExportResult {
        try stack.checkIsValid()
        var job = try ExportJob(
            stack.coordinator,
            entityName: entityName,
            to: url,
            format: try format ?? ExportFormat(fileName: url.lastPathComponent),
            options: options
        )
        return try job.run(progress: progress)
    }

    /// Exports an entity's objects, subentities included, in the background.
    ///
    /// - Parameters:
    ///   - url: The file; its folder must be there.
    ///   - entityName: The entity.
    ///   - format: Its format; told by its name if nil.
    ///   - progress: Is kept up to date, in rows; cancelling it ends the export.
    ///   - completion: Called on the main queue when the file is in place, or with what
    ///     ``exportFileAndWait(to:entityName:format:progress:)`` throws.
    public func exportFile(
        to url: URL,
        entityName: String,
        format: ExportFormat? = nil,
        progress: Progress? = nil,
        completion: @escaping @Sendable (Result<ExportResult, any Error>) -> Void
    ) {
        let progress = UncheckedProgress(progress: progress)
        ContextThread.start(name: "export") { [self] in
            let result = Result {
                try exportFileAndWait(
                    to: url,
                    entityName: entityName,
                    format: format,
                    progress: progress.progress
                )
            }
            DispatchQueue.main.async { completion(result) }
        }
    }

    /// Exports an entity's objects, subentities included, and returns when the file is in place.
    ///
    /// - Parameters:
    ///   - url: The file; its folder must be there.
    ///   - entityName: The entity.
    ///   - format: Its format; told by its name if nil.
    ///   - progress: Is kept up to date, in rows; cancelling it ends the export.
    /// - Throws: As ``exportFileAndWait(to:entityName:format:progress:)``.
    @discardableResult
    public func exportFile(
        to url: URL,
        entityName: String,
        format: ExportFormat? = nil,
        progress: Progress? = nil
    ) async throws -> ExportResult {
        try await withCheckedThrowingContinuation { continuation in
            exportFile(to: url, entityName: entityName, format: format, progress: progress) {
                continuation.resume(with: $0)
            }
        }
    }
}
