import Dispatch
import Foundation

/// Tells when files of a folder are written to, by whatever process, as the kernel reports it.
///
/// Writes through a memory mapping are not reported. Stops when it is released.
///
/// Source: inotify(7).
///
/// > Threading: Any thread; the handler is called on the queue.
final class FolderEvents: Sendable {
    // A dispatch source may be cancelled on any thread.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceRead
    }
    private let source: Source

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - names: The names of the files that count, whether they are there yet or not.
    ///   - handler: Called for one or several writes. The events that follow wait for it.
    /// - Returns: nil if the system can watch no more folders, or there is no such folder.
    init?(
        folder: String,
        names: Set<String>,
        queue: DispatchQueue,
        handler: @escaping @Sendable () -> Void
    ) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        // Moves, too: a file that takes the store's place has been written before it bears the
        // name.
        let mask = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE)
        // The folder and not the files: a watch follows an inode, and the log comes and goes.
        guard inotify_add_watch(descriptor, folder, mask) >= 0 else {
            close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if Self.readNames(descriptor)?.contains(where: names.contains) ?? true { handler() }
        }
        // Not in `deinit`: Dispatch may use the descriptor until it calls this handler.
        source.setCancelHandler { close(descriptor) }
        source.resume()
        self.source = Source(source: source)
    }

    deinit { source.source.cancel() }

    /// The names of the files that the waiting events are about; nil if the kernel had no room for
    /// all events, so that any file may be meant.
    private static func readNames(_ descriptor: Int32) -> Set<String>? {
        var names = Set<String>()
        var hasOverflowed = false
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let headerSize = MemoryLayout<inotify_event>.size
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            // The descriptor does not block: at the end of the events there is nothing to read.
            guard count >= headerSize else { return hasOverflowed ? nil : names }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + headerSize <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let end = offset + headerSize + Int(event.len)
                    // Filled up with zeros by the kernel, for the next event to be aligned.
                    let name = bytes[min(offset + headerSize, count)..<min(end, count)]
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { hasOverflowed = true }
                    names.insert(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
                    offset = end
                }
            }
        }
    }
}
