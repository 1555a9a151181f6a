import CSQLite
import Foundation

extension SQLiteConnection {
    /// What the header of the index of the write-ahead log says of its content: number of frames,
    /// checksums and salts, which each transaction changes. nil if there is no log, or nothing in
    /// it.
    ///
    /// The index is looked at through SQLite's own mapping: opening its file would end in dropping
    /// the locks that SQLite holds on it; see `OpenDatabases`.
    ///
    /// Sources: "WAL-mode File Format", "The WAL-Index File Format", and `sqlite3_io_methods`, at
    /// sqlite.org.
    func logContent() throws(SQLiteError) -> Data? {
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
        // Offsets 16 to 39: mxFrame, nPage, aFrameCksum, aSalt. While the log is empty, mxFrame is
        // 0.
        let content = Data(bytes: region + 16, count: 24)
        return content.prefix(4) == Data(count: 4) ? nil : content
    }
}
