import Foundation

/// Where a file is, links followed.
enum ResolvedPath {
    /// Follows links, also one that leads to a file which is yet to be made.
    static func of(_ path: String) -> String {
        var path = path
        // As many links as Linux follows.
        for _ in 0..<40 {
            if let real = realPath(path) { return real }
            let url = URL(fileURLWithPath: path)
            guard let folder = realPath(url.deletingLastPathComponent().path) else { return path }
            let place = URL(fileURLWithPath: folder)
                .appendingPathComponent(url.lastPathComponent)
            do {
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: place.path)
                path =
                    target.hasPrefix("/")
                    ? target : URL(fileURLWithPath: folder).appendingPathComponent(target).path
            } catch {
                return place.path  // Not a link: nothing is there.
            }
        }
        return path
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
