import Foundation

/// Files that other programs wrote, in a folder `shared/samples` beside some checkouts. Tests over
/// them say so and pass elsewhere.
public enum Samples {
    /// The folder; nil if there is none.
    public static let directory: URL? = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let samples = folder.appendingPathComponent("shared/samples", isDirectory: true)
            if FileManager.default.fileExists(atPath: samples.path) { return samples }
        }
        print("Skipped: there is no folder shared/samples beside this checkout.")
        return nil
    }()

    /// A file or folder in it; nil if it is not there.
    public static func folder(_ name: String) -> URL? {
        guard let url = directory?.appendingPathComponent(name) else { return nil }
        guard FileManager.default.fileExists(atPath: url.path) else {
            print("Skipped: there is no shared/samples/\(name) beside this checkout.")
            return nil
        }
        return url
    }

    /// Runs a body with a copy of a sample store in a folder of its own, since SQLite makes files
    /// beside a store that it reads.
    ///
    /// - Parameter store: The path of the store in `shared/samples/sqlite`, which must be there.
    public static func withCopy<Result>(
        of store: String,
        _ body: (URL) throws -> Result
    ) throws -> Result {
        guard let source = folder("sqlite/\(store)") else { throw CocoaError(.fileNoSuchFile) }
        return try withTemporaryFolder { folder in
            let copy = folder.appendingPathComponent(source.lastPathComponent)
            for suffix in ["", "-wal", "-shm"]
            where FileManager.default.fileExists(atPath: source.path + suffix) {
                // The samples may be read-only, which copies of the files would be too.
                let data = try Data(contentsOf: URL(fileURLWithPath: source.path + suffix))
                try data.write(to: URL(fileURLWithPath: copy.path + suffix))
            }
            return try body(copy)
        }
    }
}
