import CTorture
import Foundation

/// An operation on files, as the recorder has it; paths begin below the watched folder.
struct Operation {
    enum Kind {
        case open(path: String, creates: Bool, truncates: Bool)
        case write(offset: Int, bytes: [UInt8])
        case truncate(size: Int)
        case synchronize
        case rename(from: String, to: String)
        case link(from: String, to: String)
        case remove(path: String)
        case makeFolder(path: String)
        case note(number: Int)
    }

    let kind: Kind
    /// Which opening of a file it concerns.
    let opening: Int64

    init(_ record: record, below folder: String) {
        func path(_ text: UnsafePointer<CChar>?) -> String {
            let path = text.map { String(cString: $0) } ?? ""
            return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
        }
        opening = record.opening
        let offset = Int(record.offset)
        switch record.kind {
        case RECORD_OPEN:
            let flags = Int32(offset)
            kind = .open(
                path: path(record.path),
                creates: flags & O_CREAT != 0,
                truncates: flags & O_TRUNC != 0
            )
        case RECORD_WRITE:
            let bytes = UnsafeBufferPointer(start: record.bytes, count: Int(record.count))
            kind = .write(offset: offset, bytes: Array(bytes))
        case RECORD_TRUNCATE: kind = .truncate(size: offset)
        case RECORD_SYNC: kind = .synchronize
        case RECORD_RENAME: kind = .rename(from: path(record.path), to: path(record.other))
        case RECORD_LINK: kind = .link(from: path(record.path), to: path(record.other))
        case RECORD_MAKE_FOLDER: kind = .makeFolder(path: path(record.path))
        case RECORD_NOTE: kind = .note(number: offset)
        default: kind = .remove(path: path(record.path))
        }
    }
}
