import Foundation

extension SQLiteStore: StampedStore {
    var stamped: (any StampedStore)? { self }

    /// Made of the file's size and time, and of what its write-ahead log holds.
    /// Moving what the log holds into the file counts as a change.
    var contentStamp: String? {
        guard let path = url?.path,
            let file = try? FileManager.default.attributesOfItem(atPath: path),
            let size = file[.size], let date = file[.modificationDate] as? Date,
            let log = try? opened().readers.withConnection({ try $0.logContent() ?? Data() })
        else { return nil }
        return "\(size) \(date.timeIntervalSinceReferenceDate) \(log.base64EncodedString())"
    }
}
