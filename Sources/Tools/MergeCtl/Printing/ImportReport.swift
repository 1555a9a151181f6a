import MergeExchange

/// What `mergectl import --format json` prints.
struct ImportReport: Encodable {
    /// Records that failed for one cause.
    struct Failure: Encodable {
        let count: Int
        let column: String?
        let missingEntity: String?
        let reason: String
    }

    /// What came of one file.
    struct File: Encodable {
        let file: String
        var rows = 0
        var created = 0
        var updated = 0
        var unchanged = 0
        var failed = 0
        var unreadable = 0
        var createdRelated = 0
        var saves = 0
        var seconds = 0.0
        var isInterrupted = false
        var unknownColumns: [String] = []
        var nestedColumns: [String] = []
        var failures: [Failure] = []
        /// What ended the import of this file; nil if it came to its end.
        var error: String?

        init(_ file: String) { self.file = file }

        mutating func take(_ result: ImportResult) {
            rows = result.rowCount
            created = result.createdCount
            updated = result.updatedCount
            unchanged = result.unchangedCount
            failed = result.failedCount
            unreadable = result.unreadableCount
            createdRelated = result.createdRelatedCount
            saves = result.saveCount
            seconds = result.duration
            isInterrupted = result.isCancelled
            unknownColumns = result.unknownColumns
            nestedColumns = result.nestedColumns
        }
    }

    let store: String
    let entity: String
    let isDryRun: Bool
    /// The code that the tool ends with.
    var exitCode: Int32 = 0
    var files: [File] = []
}
