#if PostgreSQL
import Foundation
import TestSupport

/// A disk of a few megabytes in memory.
final class MountedDisk: Sendable {
    /// Whether this process may mount disks.
    static let isPossible: Bool = {
        do {
            _ = try MountedDisk(kilobytes: 100)
            return true
        } catch {
            return false
        }
    }()
    let folder: URL
    private var ballast: URL { folder.appendingPathComponent("ballast") }

    init(kilobytes: Int) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("MountedDisk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let options = "size=\(kilobytes)k"
        do {
            _ = try ChildProgram.output(
                ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.path],
                withErrors: true
            )
        } catch {
            try FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit {
        do {
            // Lazily: a server may have files open.
            _ = try ChildProgram.output(["umount", "-l", folder.path])
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("A small disk of a test could not be removed: \(error)")
        }
    }

    /// Takes some of the room.
    func fill(kilobytes: Int) throws {
        try Data(repeating: 1, count: kilobytes << 10).write(to: ballast)
    }

    /// Takes all of the room.
    func fill() throws {
        try Data().write(to: ballast)
        let file = try FileHandle(forWritingTo: ballast)
        while true {
            do {
                try file.write(contentsOf: Data(repeating: 1, count: 4_096))
            } catch {
                // There is no room for another page.
                return try file.close()
            }
        }
    }

    func empty() throws { try FileManager.default.removeItem(at: ballast) }
}
#endif
