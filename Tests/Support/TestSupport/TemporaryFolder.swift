import Foundation

/// Runs a body with a new folder that is gone afterwards.
public func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory
        .appendingPathComponent("MergeStackTests-\(UUID().uuidString)", isDirectory: true)
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    let result: Result
    do {
        result = try body(folder)
    } catch {
        try manager.removeItem(at: folder)
        throw error
    }
    try manager.removeItem(at: folder)
    return result
}
