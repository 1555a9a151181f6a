import Foundation

extension SQLiteStore {
    /// A text that is another one after each change of the file, by whatever process; nil if the
    /// file can't be looked at. Moving what the write-ahead log holds into the file counts as a
    /// change.
    ///
    /// It is made of the file's size and time, and, if there is a log, of its index's number of
    /// frames, checksum and salts, which each transaction changes.
    ///
    /// Source: "WAL-mode File Format", "The WAL-Index File Format", at sqlite.org.
    var contentStamp: String? {
        guard let path = url?.path,
            let file = try? FileManager.default.attributesOfItem(atPath: path),
            let size = file[.size], let date = file[.modificationDate] as? Date
        else { return nil }
        let index = Self.bytes(of: path + "-shm", count: 40)
        let log = index.flatMap { $0[16..<20] == Data(count: 4) ? nil : $0[16..<40] } ?? Data()
        return "\(size) \(date.timeIntervalSinceReferenceDate) \(log.base64EncodedString())"
    }

    private static func bytes(of path: String, count: Int) -> Data? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        let bytes = try? file.read(upToCount: count)
        return bytes?.count == count ? bytes : nil
    }
}
