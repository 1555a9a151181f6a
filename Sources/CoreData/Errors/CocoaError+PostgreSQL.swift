#if PostgreSQL
import Foundation

/// The domain of the errors that lie below those of a store in PostgreSQL: with code 0 what the
/// server or its library has said.
public let PostgreSQLErrorDomain = "PostgreSQLErrorDomain"
/// Key of the server's SQLSTATE, a text, in errors of `PostgreSQLErrorDomain`.
public let PostgreSQLStateKey = "PostgreSQLState"
/// Code in `PostgreSQLErrorDomain` of an error of its own: the changes may have been saved. The
/// connection ended in the midst of a commit and the server stays away, so that it is not known; or the
/// server has them, and this machine's replica has no room for them.
public let PostgreSQLOutcomeUnknownError = 1

extension CocoaError {
    /// 134080: no connection, since there is no server, or it does not let us in.
    static func serverNotReached(
        _ url: URL?,
        _ message: String,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        // The library's words are lines, some of them indented.
        let words = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return storeOpen(
            url,
            "the server does not accept a connection; see that it runs, and that the user, the "
                + "password file and the database are right (\(words))",
            underlying: underlying
        )
    }

    /// 134070: the connection ended before anything counted.
    static func serverLost(_ url: URL?, underlying: (any Error)? = nil) -> CocoaError {
        storeOperation(
            url,
            "the connection to the server was lost, and nothing was written; try again",
            underlying: underlying
        )
    }

    /// 134070: another machine has destroyed the store.
    static func storeWasReplacedOnServer(
        _ url: URL?,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        storeOperation(
            url,
            "the store has been destroyed or replaced on its server since it was added, and nothing "
                + "was written; remove it from its coordinator and add it again",
            underlying: underlying
        )
    }

    /// 134070: a replica has what its server has not got, and may not say so there.
    static func serverHasLostTransactions(_ url: URL?) -> CocoaError {
        storeOperation(
            url,
            "the server has lost transactions that it had confirmed, as after a fail-over; open the "
                + "store once on a machine that may write, or remove it from its coordinator and add "
                + "it again"
        )
    }

    /// 134090: no answer in time.
    static func serverDidNotAnswer(_ url: URL?, underlying: (any Error)? = nil) -> CocoaError {
        make(
            NSPersistentStoreTimeoutError,
            "The server of the store \(display(url)) did not answer in time, and nothing was "
                + "written: try again. A program may wait longer, by NSPersistentStoreTimeoutOption.",
            url: url,
            underlying: underlying
        )
    }

    /// Whether the error leaves open whether changes were saved.
    var isSaveOutcomeUnknown: Bool {
        guard let underlying = userInfo[NSUnderlyingErrorKey] as? NSError else { return false }
        return underlying.domain == PostgreSQLErrorDomain
            && underlying.code == PostgreSQLOutcomeUnknownError
    }

    /// 134030: not known whether a save counts. It is the one error after which objects may be
    /// saved although saving has failed.
    static func saveOutcomeUnknown(_ url: URL?) -> CocoaError {
        let sentence =
            "It is not known whether the changes were saved to the store \(display(url)): the "
            + "connection was lost in the midst of the commit, and the server can't be asked. The "
            + "next save finds out; fetch again before you repeat the changes."
        return saveMayCount(url, sentence)
    }

    /// 134030: a save counts, and could not be written into this machine's replica.
    static func saveIsMissingInReplica(_ url: URL?, underlying: any Error) -> CocoaError {
        saveMayCount(
            url,
            "The changes were saved on the server of the store \(display(url)), but its replica on this "
                + "machine could not be written: see that its disk has room, and roll the context back "
                + "instead of saving it again. The changes come as those of others do.",
            underlying: underlying
        )
    }

    private static func saveMayCount(
        _ url: URL?,
        _ sentence: String,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        userInfo[NSUnderlyingErrorKey] = underlying.map { $0 as NSError }
        return make(
            NSPersistentStoreSaveError,
            sentence,
            url: url,
            underlying: NSError(
                domain: PostgreSQLErrorDomain,
                code: PostgreSQLOutcomeUnknownError,
                userInfo: userInfo
            )
        )
    }

    /// 134030: others have been faster, again and again.
    static func saveIsOvertaken(
        _ url: URL?,
        attempts: Int,
        underlying: any Error
    ) -> CocoaError {
        storeSave(
            url,
            "others have changed what it is about at each of \(attempts) attempts; save again, or "
                + "fewer objects at once",
            underlying: underlying
        )
    }

    /// 134090: what is new could not be asked for in time.
    static func serverIsLate(_ url: URL?) -> CocoaError {
        make(
            NSPersistentStoreTimeoutError,
            "The server of the store \(display(url)) did not say in time what is new: fetches find "
                + "what was known before. The store goes on asking.",
            url: url
        )
    }

    /// 134091: other machines have the store open.
    static func serverStoreIsNotReplaced(_ url: URL?) -> CocoaError {
        make(
            NSPersistentStoreUnsupportedRequestTypeError,
            "The store \(display(url)) can't be replaced: other machines may have it open, and a "
                + "server can't give them another one in one step. Destroy it, and migrate the other "
                + "store to its place.",
            url: url
        )
    }

    /// 134080: rows are copied into new stores only.
    static func serverStoreIsNotNew(_ url: URL?) -> CocoaError {
        storeOpen(url, "somebody else has made a store there; choose another place")
    }

    /// 640: the server has no room.
    static func serverDiskFull(_ url: URL?, underlying: (any Error)? = nil) -> CocoaError {
        make(
            CocoaError.fileWriteOutOfSpace.rawValue,
            "The disk of the server of the store \(display(url)) is full, and nothing was written: "
                + "make room there and save again.",
            url: url,
            underlying: underlying
        )
    }

    /// 134030: whatever else a server refuses.
    static func serverRefused(
        _ url: URL?,
        _ message: String,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        storeSave(url, "the server has refused it (\(message))", underlying: underlying)
    }
}
#endif
