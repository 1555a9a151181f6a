import CSQLite
import Foundation

/// What SQLite reported, in its own terms, before it becomes an `NSError`.
struct SQLiteError: Error {
    /// The extended result code; its low byte is the primary one.
    let extendedCode: Int32
    /// SQLite's words; they quote names and never values.
    let message: String
    /// What the system said where a file could not be opened, read or written; 0 otherwise.
    let systemCode: Int32

    var code: Int32 { extendedCode & 0xff }
    /// Whether a key that was to be inserted is in use. (SQLite's constants for these two codes
    /// are macros that Swift does not import.)
    var isPrimaryKeyInUse: Bool {
        extendedCode == SQLITE_CONSTRAINT | 6 << 8 || extendedCode == SQLITE_CONSTRAINT | 10 << 8
    }

    init(extendedCode: Int32, message: String, systemCode: Int32 = 0) {
        self.extendedCode = extendedCode
        self.message = message
        self.systemCode = systemCode
    }

    /// The last error of a connection.
    init(_ database: OpaquePointer?, code: Int32) {
        guard let database else {
            self.init(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
            return
        }
        // The last error of the connection may be that of another call: its extended code counts
        // only if it refines the code at hand.
        let extended = sqlite3_extended_errcode(database)
        let isOfSystem = [SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xff)
        self.init(
            extendedCode: extended & 0xff == code & 0xff ? extended : code,
            message: String(cString: sqlite3_errmsg(database)),
            systemCode: isOfSystem ? sqlite3_system_errno(database) : 0
        )
    }

    /// Whether there is no room for what was to be written.
    var isDiskFull: Bool {
        // SQLITE_IOERR_SHMSIZE, a macro that Swift does not import: on a full disk not even a reader
        // of a store with a log gets the small file that it shares with others.
        code == SQLITE_FULL || extendedCode == SQLITE_IOERR | 19 << 8
            || systemCode == ENOSPC || systemCode == EDQUOT
    }

    /// The error that clients see: a Cocoa error that says what to do, with SQLite's own error
    /// below it.
    func cocoaError(_ url: URL?) -> CocoaError {
        let underlying = NSError(
            domain: NSSQLiteErrorDomain,
            code: Int(code),
            userInfo: [
                NSLocalizedDescriptionKey: message,
                "NSSQLiteExtendedErrorCode": NSNumber(value: extendedCode),
            ]
        )
        if systemCode == EFBIG { return .fileSizeLimit(url, underlying: underlying) }
        if isDiskFull { return .diskFull(url, underlying: underlying) }
        switch code {
        case SQLITE_BUSY, SQLITE_LOCKED: return .storeTimeout(url, underlying: underlying)
        case SQLITE_CORRUPT:
            return .corruptFile(
                url,
                "SQLite found it malformed; restore it from a backup",
                underlying: underlying
            )
        case SQLITE_NOTADB:
            return .corruptFile(url, "it is not an SQLite database", underlying: underlying)
        // SQLITE_READONLY_ROLLBACK, a macro that Swift does not import.
        case SQLITE_READONLY where extendedCode == SQLITE_READONLY | 3 << 8:
            return .storeOpen(
                url,
                "a program that used it has ended in the middle of a transaction; add it once without "
                    + "NSReadOnlyPersistentStoreOption, which takes that transaction back",
                underlying: underlying
            )
        case SQLITE_READONLY, SQLITE_PERM:
            return .fileNotWritable(url, underlying: underlying)
        case SQLITE_CANTOPEN where systemCode == EROFS:
            return .volumeReadOnly(url, underlying: underlying)
        case SQLITE_CANTOPEN where systemCode == EACCES || systemCode == EPERM:
            return .fileNotWritable(url, underlying: underlying)
        case SQLITE_CANTOPEN:
            return .storeOpen(
                url,
                "SQLite cannot open or create the file"
                    + (systemCode == 0 ? "" : " (\(String(cString: strerror(systemCode))))")
                    + "; check that its folder exists and may be written, or add the store read-only",
                underlying: underlying
            )
        case SQLITE_TOOBIG:
            return .sqlite(
                url,
                code: Int(code),
                message: message + " (the limit is a billion bytes for a value and for a row: keep "
                    + "it in a file, or allow external storage for the attribute)"
            )
        default: return .sqlite(url, code: Int(code), message: message)
        }
    }
}
