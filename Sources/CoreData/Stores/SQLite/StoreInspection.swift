import CSQLite
import Foundation

/// What is in the file of an SQLite store, found without its model. Not in Apple's framework.
///
/// > Threading: A value; any thread.
public struct StoreInspection: Hashable, Sendable {
    /// An entity as the store knows it.
    public struct Entity: Hashable, Sendable {
        /// The entity's name.
        public let name: String
        /// How many rows are of just this entity, subentities not counted.
        public let rowCount: Int
    }

    /// The store's persistent history.
    public struct History: Hashable, Sendable {
        /// How many transactions are there.
        public let transactionCount: Int
        /// How many changes they have.
        public let changeCount: Int
        /// When the first one was written; nil if there is none.
        public let first: Date?
        /// When the last one was written; nil if there is none.
        public let last: Date?
        /// The authors of transactions, by name.
        public let authors: [String]
    }

    /// The entities by name; those whose rows could not be counted for damage are not among them.
    public let entities: [Entity]
    /// What a check of the whole file found wrong, a sentence each; empty if it is sound.
    public let problems: [String]
    /// The history; nil for a store that keeps none.
    public let history: History?
    /// How many values have a file of their own.
    public let externalFileCount: Int
}

extension NSPersistentStoreCoordinator {
    /// Counts the rows in an SQLite store's file and checks all of it. Not in Apple's framework.
    ///
    /// Nothing is written. Takes the time to read the whole file. Of a store that is damaged it has
    /// what could be read, and the damage among its problems.
    ///
    /// - Parameter url: The store's file.
    /// - Throws: An error that says why the file can't be read as a store.
    public class func inspection(ofSQLiteStoreAt url: URL) throws -> StoreInspection {
        try inspection(ofSQLiteStoreAt: url, endsAtDamage: false)
    }

    /// - Parameter endsAtDamage: Whether damage that keeps something from being read is an error: for
    ///   those to whom an entity that is not named has no rows.
    class func inspection(
        ofSQLiteStoreAt url: URL,
        endsAtDamage: Bool
    ) throws -> StoreInspection {
        let file = try StoreFile(url)
        try file.checkHeader()
        let opening = try StoreOpening(file: file, options: nil, isReadOnly: true)
        do {
            return try opening.inspect(endsAtDamage: endsAtDamage)
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }
}

/// What a check has found wrong so far.
private final class DamageList {
    let endsAtDamage: Bool
    private(set) var problems: [String] = []

    init(endsAtDamage: Bool) { self.endsAtDamage = endsAtDamage }

    func add(_ problems: [String]) { self.problems += problems }

    /// What a part of the file gives; nil where SQLite meets damage, which is noted then.
    func read<Part>(_ part: String, _ body: () throws -> Part?) throws -> Part? {
        do {
            return try body()
        } catch let error as SQLiteError where error.isDamage && !endsAtDamage {
            problems.append("\(part) can't be read: \(error.message).")
            return nil
        }
    }
}

extension SQLiteError {
    /// Whether the file is not what SQLite has written.
    fileprivate var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
}

extension StoreOpening {
    /// Reads and checks the file in one transaction.
    fileprivate func inspect(endsAtDamage: Bool) throws -> StoreInspection {
        let damage = DamageList(endsAtDamage: endsAtDamage)
        var entities: [StoreInspection.Entity] = []
        var history: StoreInspection.History?
        // What is left to be said where not even the schema can be read.
        _ = try damage.read("The file") {
            let (connection, _) = try readingConnection()
            guard try connection.hasTable("Z_METADATA"), try connection.hasTable("Z_PRIMARYKEY")
            else {
                let what = "it is no Core Data store; \(CocoaError.otherFile)"
                throw CocoaError.corruptFile(file.url, what)
            }
            // In one transaction: a save between two of the statements would show as a key beyond
            // `Z_MAX`, or as counts that do not fit.
            try connection.execute("BEGIN")
            defer { connection.rollBack() }
            damage.add(
                try damage.read("The file") { try Self.integrityProblems(connection) } ?? []
            )
            entities = try Self.entities(connection, damage)
            history = try damage.read("The history") {
                try Self.history(connection, url: file.url)
            }
        }
        return StoreInspection(
            entities: entities,
            problems: damage.problems,
            history: history,
            externalFileCount: try file.externalData.names().count
        )
    }

    /// Counts the rows of each entity, and checks the keys of its table.
    private static func entities(
        _ connection: SQLiteConnection,
        _ damage: DamageList
    ) throws -> [StoreInspection.Entity] {
        let members =
            try damage.read("The list of entities") { try Self.members(connection) } ?? [:]
        var entities: [StoreInspection.Entity] = []
        for (number, member) in members.sorted(by: { $0.value.name < $1.value.name }) {
            let root = root(of: number, in: members)
            // Those of Apple's own, of histories and CloudKit.
            guard number <= 16_000 else { continue }
            // By the name that the format derives from the root's (all of a tree are in one table):
            // no model is at hand that would tell.
            let table = "Z" + (members[root]?.name ?? "").uppercased()
            guard try connection.hasTable(table) else {
                damage.add(["The table \(table) of entity \(member.name) is missing."])
                continue
            }
            let quoted = SQLName.quoted(table)
            // A table of one entity has that entity's rows, whatever number they bear.
            let isAlone = number == root && !members.values.contains { $0.parent == number }
            let count = try damage.read("The table \(table) of entity \(member.name)") {
                try connection.integer(
                    "SELECT count(*) FROM \(quoted)" + (isAlone ? "" : " WHERE Z_ENT = \(number)")
                ) ?? 0
            }
            guard let count else { continue }
            entities.append(.init(name: member.name, rowCount: Int(count)))
            guard number == root else { continue }
            let maximum = try damage.read("The last key of the table \(table)") {
                try connection.integer("SELECT max(Z_PK) FROM \(quoted)")
            }
            if let maximum, maximum > member.maximum {
                damage.add([
                    "The table \(table) has the primary key \(maximum), beyond the last one handed "
                        + "out, \(member.maximum)."
                ])
            }
        }
        return entities
    }

    private static func history(
        _ connection: SQLiteConnection,
        url: URL
    ) throws -> StoreInspection.History? {
        guard let schema = try HistorySchema(in: connection, url: url) else { return nil }
        func date(_ function: String) throws -> Date? {
            let statement = try connection.statement(
                "SELECT \(function)(ZTIMESTAMP) FROM ATRANSACTION"
            )
            defer { statement.reset() }
            guard try statement.step(), !statement.isNull(0) else { return nil }
            return Date(timeIntervalSinceReferenceDate: statement.real(0))
        }
        let statement = try connection.statement(
            schema.hasStrings
                ? "SELECT DISTINCT s.ZNAME FROM ATRANSACTION t "
                    + "JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS ORDER BY 1"
                : "SELECT DISTINCT ZAUTHOR FROM ATRANSACTION WHERE ZAUTHOR NOT NULL ORDER BY 1"
        )
        defer { statement.reset() }
        var authors: [String] = []
        while try statement.step() { authors.append(statement.text(0)) }
        return StoreInspection.History(
            transactionCount: Int(try connection.integer("SELECT count(*) FROM ATRANSACTION") ?? 0),
            changeCount: Int(try connection.integer("SELECT count(*) FROM ACHANGE") ?? 0),
            first: try date("min"),
            last: try date("max"),
            authors: authors
        )
    }

    private static func integrityProblems(_ connection: SQLiteConnection) throws -> [String] {
        let statement = try connection.statement("PRAGMA integrity_check(20)")
        defer { statement.reset() }
        var problems: [String] = []
        while try statement.step() {
            let line = statement.text(0)
            if line != "ok" { problems.append(line) }
        }
        return problems
    }

    private struct Member {
        let name: String
        let parent: Int64
        let maximum: Int64
    }

    private static func members(_ connection: SQLiteConnection) throws -> [Int64: Member] {
        let statement = try connection.statement(
            "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY"
        )
        defer { statement.reset() }
        var members: [Int64: Member] = [:]
        while try statement.step() {
            members[statement.integer(0)] = Member(
                name: statement.text(1),
                parent: statement.integer(2),
                maximum: statement.integer(3)
            )
        }
        return members
    }

    /// The entity whose table holds the rows; a store that is not sound may have a circle here.
    private static func root(of number: Int64, in members: [Int64: Member]) -> Int64 {
        var root = number
        for _ in 0..<members.count {
            guard let parent = members[root]?.parent, parent != 0, members[parent] != nil else {
                break
            }
            root = parent
        }
        return root
    }
}
