import Foundation

/// A folder for as long as something needs it.
enum TemporaryFolder {
    /// Makes a folder, hands it out and removes it.
    ///
    /// - Throws: What `body` throws, or why the folder can't be made or removed.
    static func with<Result>(_ name: String, _ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("mergestack-bench-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Kept until the folder is gone: a `defer` could not throw where it can't be removed.
        let outcome = Swift.Result { try body(folder) }
        try FileManager.default.removeItem(at: folder)
        return try outcome.get()
    }
}
