import Foundation

/// What is in the file of an SQLite store, told without its model. Not in Apple's framework.
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

    /// The entities by name.
    public let entities: [Entity]
    /// What a check of the whole file found wrong, a sentence each; empty if it is sound.
    public let problems: [String]
}

extension NSPersistentStoreCoordinator {
    /// Counts the rows in an SQLite store's file and checks all of it. Not in Apple's framework.
    ///
    /// Nothing is written. Takes the time to read the whole file.
    ///
    /// - Parameter url: The store's file.
    /// - Throws: An error that says why the file can't be read as a store.
    public class func inspection(ofSQLiteStoreAt url: URL) throws -> StoreInspection {
        let file = try StoreFile(url)
        try file.checkHeader()
        let opening = try StoreOpening(file: file, options: nil, isReadOnly: true)
        do {
            return try opening.inspect()
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }
}

extension StoreOpening {
    /// Reads what there is and checks it, in one transaction.
    fileprivate func inspect() throws -> StoreInspection {
        let (connection, _) = try readingConnection()
        guard try connection.hasTable("Z_METADATA"), try connection.hasTable("Z_PRIMARYKEY") else {
            throw CocoaError.corruptFile(file.url, "it is no Core Data store")
        }
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        var problems = try Self.integrityProblems(connection)
        let members = try Self.members(connection)
        var entities: [StoreInspection.Entity] = []
        for (number, member) in members.sorted(by: { $0.value.name < $1.value.name }) {
            let root = Self.root(of: number, in: members)
            let table = "Z" + (members[root]?.name ?? "").uppercased()
            guard try connection.hasTable(table) else {
                problems.append("The table \(table) of entity \(member.name) is missing.")
                continue
            }
            let quoted = SQLName.quoted(table)
            let count = try connection.integer(
                "SELECT count(*) FROM \(quoted) WHERE Z_ENT = \(number)"
            )
            entities.append(.init(name: member.name, rowCount: Int(count ?? 0)))
            guard number == root else { continue }
            let maximum = try connection.integer("SELECT max(Z_PK) FROM \(quoted)") ?? 0
            if maximum > member.maximum {
                problems.append(
                    "The table \(table) has the primary key \(maximum), beyond the last one handed "
                        + "out, \(member.maximum)."
                )
            }
        }
        return StoreInspection(entities: entities, problems: problems)
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
