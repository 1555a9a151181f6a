import Foundation

/// Files that other programs wrote, in a folder `shared/samples` beside some checkouts. Elsewhere the
/// tests over them are skipped, and counted so:
///
///     @Test(.enabled(if: Samples.areThere("mom"), "needs shared/samples/mom"))
public enum Samples {
    /// The folder; nil if there is none.
    private static let directory: URL? = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let samples = folder.appendingPathComponent("shared/samples", isDirectory: true)
            if FileManager.default.fileExists(atPath: samples.path) { return samples }
        }
        return nil
    }()

    /// Whether all these files and folders are in it: what a test over them is enabled by.
    public static func areThere(_ names: String...) -> Bool {
        names.allSatisfy { (try? url($0)) != nil }
    }

    /// A file or folder in it.
    ///
    /// - Throws: `CocoaError.fileNoSuchFile` if it is not there.
    public static func url(_ name: String) throws -> URL {
        guard let url = directory?.appendingPathComponent(name),
            FileManager.default.fileExists(atPath: url.path)
        else { throw CocoaError(.fileNoSuchFile) }
        return url
    }

    /// All files and folders below a folder of it that end so, sorted by their paths.
    public static func files(in folder: String, extensions: Set<String>) throws -> [URL] {
        let all = FileManager.default.enumerator(
            at: try url(folder),
            includingPropertiesForKeys: nil
        )
        return (all?.compactMap { $0 as? URL } ?? [])
            .filter { extensions.contains($0.pathExtension) }
            .sorted { $0.path < $1.path }
    }

    /// Runs a body with a copy of a sample store in a folder of its own, since SQLite makes files
    /// beside a store that it reads.
    ///
    /// - Parameter store: The path of the store in `shared/samples/sqlite`.
    public static func withCopy<Result>(
        of store: String,
        _ body: (URL) throws -> Result
    ) throws -> Result {
        let source = try url("sqlite/\(store)")
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
