import Foundation

extension SQLiteStore {
    /// A text that is another one after each change of the file, by whatever process; nil if the
    /// file can't be looked at. Moving what the write-ahead log holds into the file counts as a
    /// change.
    ///
    /// It is made of the file's size and time, and of what its write-ahead log holds.
    var contentStamp: String? {
        guard let path = url?.path,
            let file = try? FileManager.default.attributesOfItem(atPath: path),
            let size = file[.size], let date = file[.modificationDate] as? Date,
            let log = try? opened().readers.withConnection({ try $0.logContent() ?? Data() })
        else { return nil }
        return "\(size) \(date.timeIntervalSinceReferenceDate) \(log.base64EncodedString())"
    }
}
