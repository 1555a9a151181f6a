import Foundation

/// Paths as the user has written them, from which messages are made.
enum UserPath {
    /// The folder that holds a file; "." for a name alone.
    ///
    /// Not by `NSString.deletingLastPathComponent`, which stops the process for a path of one character on
    /// Linux (Swift 6.3.1).
    static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().relativePath
    }

    /// A file of another name in the same folder.
    static func sibling(_ name: String, of path: String) -> String {
        let folder = folder(of: path)
        guard folder != "." else { return name }
        return URL(fileURLWithPath: folder).appendingPathComponent(name).relativePath
    }
}
