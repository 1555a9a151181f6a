import Foundation

/// Another process has taken the primary keys that a save wants to use. Nothing was written:
/// reserve keys again, and repeat the save with them.
struct PrimaryKeysTaken: Error {
    let rootIndex: Int
}

extension PrimaryKeysTaken: CustomNSError, LocalizedError {
    static var errorDomain: String { NSCocoaErrorDomain }
    var errorCode: Int { NSPersistentStoreSaveConflictsError }
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
    var errorDescription: String? { sentence }

    private var sentence: String {
        "Another process has taken the primary keys of new objects, and nothing was written: save "
            + "again."
    }
}
