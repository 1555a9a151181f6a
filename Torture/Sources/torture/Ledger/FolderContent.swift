import Foundation

/// The files of a folder, in memory.
struct FolderContent {
    /// What is in each file, by its path from the folder on, which begins with a slash; nil for a
    /// folder.
    private(set) var entries: [String: [UInt8]?] = [:]

    /// Nothing.
    init() {}

    init(of folder: URL) throws {
        guard let paths = FileManager.default.enumerator(atPath: folder.path) else { return }
        for case let path as String in paths {
            let url = folder.appendingPathComponent(path)
            let values = try url.resourceValues(forKeys: [.isDirectoryKey])
            entries["/\(path)"] =
                values.isDirectory == true ? .some(nil) : [UInt8](try Data(contentsOf: url))
        }
    }

    /// How many files there are of each path, but for the names of files that are another one each
    /// time.
    ///
    /// Logs and their indexes stay out: who opens a database next removes them. So do hidden files
    /// that are written beside one whose place they take, and stay if nobody is left to name them.
    var shape: [String: Int] {
        var result: [String: Int] = [:]
        for path in entries.keys where !path.hasSuffix("-wal") && !path.hasSuffix("-shm") {
            let extent = (path as NSString).pathExtension
            guard UUID(uuidString: extent) == nil, extent != "tmp" else { continue }
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let isOwn = UUID(uuidString: name) != nil
            result[isOwn ? String(path.dropLast(name.count)) + "*" : path, default: 0] += 1
        }
        return result
    }
}
