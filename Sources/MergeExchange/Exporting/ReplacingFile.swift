import Foundation
import MergeStack

/// A file that is written beside its place and takes it as a whole: whoever looks sees the file of
/// before or the complete new one.
///
/// > Threading: One thread at a time.
final class ReplacingFile {
    private let url: URL
    private let temporary: URL
    private let handle: FileHandle
    private var buffer = Data()
    private(set) var byteCount = 0
    private var isPlaced = false

    /// Begins a file; its folder must be there.
    init(at url: URL) throws {
        self.url = url
        // In the same folder, and so on the same file system, for a rename works within one only.
        temporary = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString).tmp")
        try Data().write(to: temporary)
        handle = try FileHandle(forWritingTo: temporary)
    }

    deinit {
        guard !isPlaced else { return }
        do {
            try handle.close()
            try FileManager.default.removeItem(at: temporary)
        } catch {
            // It was never at its place; a leftover has a name that tells what it is.
            return
        }
    }

    func write(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Puts the file in its place, when it is on disk.
    func place() throws {
        try flush()
        // Before the rename: after a crash the name must not lead to a file without its content.
        try handle.synchronize()
        try handle.close()
        guard rename(temporary.path, url.path) == 0 else {
            let cause = POSIXError(.init(rawValue: errno) ?? .EIO)
            throw MergeStackError(
                .unwritableFile,
                "The export can't take the place of \(url.path): see to what is there, or name "
                    + "another file. \(cause.localizedDescription)",
                underlyingError: cause
            )
        }
        isPlaced = true
    }

    private func flush() throws {
        try handle.write(contentsOf: buffer)
        byteCount += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
