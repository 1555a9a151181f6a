#if PostgreSQL
import CPostgreSQL
import Foundation

/// What went wrong between this process and a server, before it becomes a Cocoa error.
struct PostgreSQLError: Error {
    enum Kind: Equatable {
        /// No connection could be made.
        case notConnected
        /// The connection ended: what was sent and not answered may have been done or not.
        case lost
        /// The same, since no answer came in time.
        case noAnswer
        /// The server answered with an error, and has undone the transaction.
        case refused(state: String)
    }
    let kind: Kind
    /// The server's or the library's words; the server's quote names and never values.
    let message: String

    /// What the functions of a store's schema raise; no class of PostgreSQL begins with these
    /// letters (postgresql.org/docs/current/errcodes-appendix.html).
    enum State {
        /// Rows are not at the version that a save expects, or gone.
        static let conflict = "MS001"
        /// Rows refer to what a save deletes.
        static let lateReferences = "MS002"
        /// Rows that a save refers to are gone.
        static let lostTargets = "MS003"
        /// The server has not got what the replica has read, or another store.
        static let otherFeed = "MS004"
    }

    var state: String? {
        if case .refused(let state) = kind { state } else { nil }
    }

    /// Whether it is not known what became of a commit that was sent.
    var isOutcomeUnknown: Bool { kind == .lost || kind == .noAnswer }

    /// Whether another transaction was in the way, so that the same one may pass when it is
    /// repeated: a deadlock, or a transaction that was not serializable.
    var isCollision: Bool { state == "40P01" || state == "40001" }

    /// Whether the server does not have a prepared statement that it was told to keep, or has another
    /// one of its name.
    var isOfPreparedStatement: Bool { state == "26000" || state == "42P05" }

    /// Whether the content of the server is not what the save was made for. The replica shows why
    /// once it has followed.
    var isDisagreement: Bool {
        guard let state else { return false }
        let known = [
            State.conflict, State.lateReferences, State.lostTargets, State.otherFeed,
        ]
        // 23505: a unique value, or a key, is in use.
        return known.contains(state) || state == "23505"
    }

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The error of a result.
    init(result: OpaquePointer) {
        // A field that libpq does not have is no pointer.
        func field(_ code: Character) -> String {
            guard let ascii = code.asciiValue,
                let text = PQresultErrorField(result, Int32(ascii))
            else { return "" }
            return String(cString: text)
        }
        // 'C' is SQLSTATE and 'M' the primary message. The detail ('D') is left out, since it
        // quotes values.
        let state = field("C")
        self.init(state.isEmpty ? .lost : .refused(state: state), field("M"))
    }

    /// The error that clients see.
    func cocoaError(_ url: URL?) -> CocoaError {
        let underlying = NSError(
            domain: PostgreSQLErrorDomain,
            code: 0,
            userInfo: [
                NSLocalizedDescriptionKey: message,
                PostgreSQLStateKey: state ?? "",
            ]
        )
        switch kind {
        case .notConnected: return .serverNotReached(url, message, underlying: underlying)
        case .lost: return .serverLost(url, underlying: underlying)
        case .noAnswer: return .serverDidNotAnswer(url, underlying: underlying)
        case .refused("53100"): return .serverDiskFull(url, underlying: underlying)
        case .refused("28P01"), .refused("28000"):
            return .serverNotReached(url, message, underlying: underlying)
        // Statements and locks that took longer than the server waits for them.
        case .refused("57014"), .refused("55P03"):
            return .serverDidNotAnswer(url, underlying: underlying)
        // Shut down, crashed or not up yet: nothing of the transaction counts.
        case .refused("57P01"), .refused("57P02"), .refused("57P03"):
            return .serverLost(url, underlying: underlying)
        // Its tables, its schema or its function are not there.
        case .refused("42P01"), .refused("3F000"), .refused("42883"):
            return .storeWasReplacedOnServer(url, underlying: underlying)
        case .refused: return .serverRefused(url, message, underlying: underlying)
        }
    }
}
#endif
