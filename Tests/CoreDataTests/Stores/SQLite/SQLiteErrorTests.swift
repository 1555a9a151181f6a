import CSQLite
import Foundation
import Testing

@testable import CoreData

/// What the system says of a file decides which error clients get.
@Suite struct SQLiteErrorTests {
    private func code(_ code: Int32, _ systemCode: Int32) -> Int {
        SQLiteError(extendedCode: code, message: "m", systemCode: systemCode)
            .cocoaError(URL(fileURLWithPath: "/s.sqlite")).code.rawValue
    }

    @Test func openingTellsWhatIsInTheWay() {
        #expect(code(SQLITE_CANTOPEN, ENOENT) == NSPersistentStoreOpenError)
        #expect(code(SQLITE_CANTOPEN, EMFILE) == NSPersistentStoreOpenError)
        #expect(code(SQLITE_CANTOPEN, EACCES) == CocoaError.fileWriteNoPermission.rawValue)
        #expect(code(SQLITE_CANTOPEN, EROFS) == CocoaError.fileWriteVolumeReadOnly.rawValue)
        #expect(code(SQLITE_CANTOPEN, ENOSPC) == CocoaError.fileWriteOutOfSpace.rawValue)
    }

    @Test func aDiskIsFullWhateverSQLiteCallsIt() {
        let full = CocoaError.fileWriteOutOfSpace.rawValue
        #expect(code(SQLITE_FULL, 0) == full)
        #expect(code(SQLITE_IOERR, ENOSPC) == full)
        #expect(code(SQLITE_IOERR, EDQUOT) == full)
        #expect(code(SQLITE_IOERR | 19 << 8, 0) == full)
        #expect(code(SQLITE_IOERR, EIO) == NSSQLiteError)
    }

    @Test func aLimitForTheSizeOfFilesIsNoFullDisk() {
        let error = SQLiteError(extendedCode: SQLITE_IOERR, message: "m", systemCode: EFBIG)
        #expect(code(SQLITE_IOERR, EFBIG) == CocoaError.fileWriteOutOfSpace.rawValue)
        #expect(!error.isDiskFull)
        let text = error.cocoaError(nil).localizedDescription
        #expect(text.contains("ulimit"))
    }

    @Test func tooManyOpenFilesAreNamed() {
        let error = SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "m", systemCode: EMFILE)
        let text = error.cocoaError(nil).localizedDescription
        #expect(text.contains("Too many open files"))
    }
}
