#if PostgreSQL
/// The statements that a server has been told to keep for a connection, with their plans.
///
/// From their second run on: what runs once costs less when it is not kept. Behind a pooler that gives
/// each transaction another of its own connections a server knows nothing of them, says so, and is
/// given all statements whole from then on.
struct PreparedStatements {
    enum Use: Equatable {
        /// The statement is sent as it is.
        case whole
        /// The server is told to keep it under a name, and then to run it.
        case prepared(name: String, isNew: Bool)
    }
    private static let maximumCount = 200

    private var names: [String: String] = [:]
    /// Those that the server was told to keep in the round trip that is under way.
    private var new: [String: String] = [:]
    private var seen: Set<String> = []
    private var isOff = false
    private var lastNumber = 0

    /// Notes that a round trip begins.
    mutating func begin() { new = [:] }

    /// How a statement is sent now.
    mutating func use(_ sql: String) -> Use {
        // What follows a statement that the server has refused to keep is not run.
        if let name = names[sql] ?? new[sql] { return .prepared(name: name, isNew: false) }
        guard !isOff, names.count < Self.maximumCount else { return .whole }
        guard !seen.insert(sql).inserted else {
            // Those of saves with ever new shapes come once.
            if seen.count > Self.maximumCount { seen = [sql] }
            return .whole
        }
        lastNumber += 1
        let name = "mergestack_\(lastNumber)"
        new[sql] = name
        return .prepared(name: name, isNew: true)
    }

    /// Notes that the server keeps a statement.
    mutating func didPrepare(_ sql: String, name: String) { names[sql] = name }

    /// Notes that the server has refused something.
    mutating func didRefuse(_ error: PostgreSQLError) {
        guard error.isOfPreparedStatement else { return }
        names = [:]
        isOff = true
    }
}
#endif
