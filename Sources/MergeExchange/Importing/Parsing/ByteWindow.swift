import Foundation
import MergeStack

/// The part of a file that a parser looks at: it grows only while one record does not fit.
final class ByteWindow {
    /// How many bytes are read at a time.
    static let defaultChunkByteCount = 256 << 10
    /// How long a record may get; a quote that is never closed would else read in the whole file.
    static let maximumRecordByteCount = 64 << 20

    let file: String
    private(set) var bytes: [UInt8] = []
    /// Where the next record begins in `bytes`.
    var position = 0
    private(set) var isAtEnd = false
    private var droppedByteCount = 0
    private let chunkByteCount: Int
    private let read: (Int) throws -> Data?

    /// Looks at what `read` gives: up to as many bytes as asked for, nothing at the end.
    init(
        file: String,
        chunkByteCount: Int = defaultChunkByteCount,
        read: @escaping (Int) throws -> Data?
    ) {
        self.file = file
        self.chunkByteCount = chunkByteCount
        self.read = read
    }

    /// Opens a file.
    convenience init(url: URL) throws {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory),
            isDirectory.boolValue
        {
            throw MergeStackError(
                .unreadableFile,
                "\(url.path) is a folder; import its files one by one."
            )
        }
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: url)
        } catch {
            throw MergeStackError(
                .unreadableFile,
                "The file \(url.path) can't be opened; check its name and permissions.",
                underlyingError: error
            )
        }
        self.init(file: url.lastPathComponent) { try handle.read(upToCount: $0) }
    }

    /// How many bytes of the file lie behind `position`.
    var consumedByteCount: Int { droppedByteCount + position }

    /// Reads on behind what is there; after it, `position` may be another number.
    ///
    /// - Returns: Whether there was more.
    func fill(line: Int) throws -> Bool {
        guard !isAtEnd else { return false }
        // What is read is dropped here and not after each record, for each removal moves all that
        // is behind it.
        if position > 0 {
            bytes.removeFirst(position)
            droppedByteCount += position
            position = 0
        }
        guard bytes.count < Self.maximumRecordByteCount else {
            throw ImportProblem(
                file: file,
                line: line,
                reason: "The record that begins here is longer than 64 MB; look for a quote or "
                    + "bracket that is not closed."
            )
        }
        let chunk: Data?
        do {
            // Twice as much each time, so that a long record is not scanned over and over.
            chunk = try read(max(chunkByteCount, bytes.count))
        } catch {
            throw MergeStackError(
                .unreadableFile,
                "The file \(file) can't be read on from line \(line); see the underlying error.",
                underlyingError: error
            )
        }
        guard let chunk, !chunk.isEmpty else {
            isAtEnd = true
            return false
        }
        bytes.append(contentsOf: chunk)
        return true
    }

    /// Skips a byte order mark at the beginning of the file.
    func skipByteOrderMark() throws {
        while bytes.count < 3, try fill(line: 1) {}
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
        } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw ImportProblem(
                file: file,
                line: 1,
                reason: "The file is UTF-16; convert it to UTF-8, for example with iconv."
            )
        }
    }
}
