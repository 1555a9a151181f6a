import Foundation

extension SQLiteStore: StampedStore {
    var stamped: (any StampedStore)? { self }

    /// Made of the file's size and time, and of what its write-ahead log holds.
    /// Moving what the log holds into the file counts as a change.
    var contentStamp: String? {
        guard let open = try? opened(),
            // Where links lead to: the store's URL may be one, with a size and time of its own.
            let file = try? FileManager.default.attributesOfItem(atPath: open.file.path),
            let size = file[.size], let date = file[.modificationDate] as? Date,
            // By SQLite's own connection: opening the log's index and closing it again would drop
            // the locks that SQLite holds on it.
            let log = try? open.readers.withConnection({ try $0.logContent() ?? Data() })
        else { return nil }
        return "\(size) \(date.timeIntervalSinceReferenceDate) \(log.base64EncodedString())"
    }
}
