import CSQLite
import Foundation

extension SQLiteConnection {
    /// What the header of the index of the write-ahead log says of its content: number of frames,
    /// checksums and salts, which each transaction changes. nil if there is no log, or nothing in
    /// it.
    func logContent() throws(SQLiteError) -> Data? {
        guard let header = try logHeader() else { return nil }
        // Offsets 16 to 39: mxFrame, nPage, aFrameCksum, aSalt. While the log is empty, mxFrame is
        // 0.
        let content = Data(bytes: header + 16, count: 24)
        return content.prefix(4) == Data(count: 4) ? nil : content
    }

    /// The header of the index of the write-ahead log, which every commit of any process changes;
    /// nil if the database has no log, or one without an index that others share.
    ///
    /// The memory is SQLite's own mapping, and stays where it is until the connection is closed:
    /// opening the index's file would end in dropping the locks that SQLite holds on it; see
    /// `OpenDatabases`.
    ///
    /// Sources: "WAL-mode File Format", "The WAL-Index File Format", and `sqlite3_io_methods`, at
    /// sqlite.org.
    func logHeader() throws(SQLiteError) -> UnsafeRawPointer? {
        // Opens the log, if there is one.
        _ = try integer("PRAGMA schema_version")
        let mode = try statement("PRAGMA journal_mode")
        defer { mode.reset() }
        guard try mode.step(), mode.text(0) == "wal" else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods,
            // Methods of shared memory exist from version 2 on.
            methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
        else { return nil }
        // The index is mapped in regions of 32 KB. The 0 in the call asks SQLite not to make one.
        var region: UnsafeMutableRawPointer?
        let regionSize: Int32 = 32_768
        guard map(file, 0, regionSize, 0, &region) == SQLITE_OK, let region else { return nil }
        return UnsafeRawPointer(region)
    }
}
