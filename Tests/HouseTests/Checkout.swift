import Foundation

/// The checkout that these tests were built in.
enum Checkout {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    /// The names of the folders in a folder.
    static func folders(in path: String) throws -> [String] {
        let parent = folder.appendingPathComponent(path)
        return try FileManager.default.contentsOfDirectory(
            at: parent,
            includingPropertiesForKeys: [.isDirectoryKey]
        )
        .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
        .map(\.lastPathComponent)
    }

    /// The texts of the Swift files below a folder, by their paths from it.
    static func sources(_ path: String) throws -> [String: String] {
        let root = folder.appendingPathComponent(path).path
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
        var result: [String: String] = [:]
        for file in paths where file.hasSuffix(".swift") {
            result[file] = try text("\(path)/\(file)")
        }
        return result
    }
}
