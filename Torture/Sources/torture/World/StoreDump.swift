import CSQLiteLibrary
import CoreData
import Foundation

/// What is in a store's files, read by the SQLite library alone: the engine's word is not taken.
struct StoreDump: Equatable {
    /// A line for each row, in the order of names; keys are left out, for a second try may use others.
    private(set) var lines: [String] = []
    /// What is wrong with the file as such, in sentences; empty if it is sound.
    private(set) var problems: [String] = []

    /// What there is at a place where no store is, or one without tables.
    static let nothing = StoreDump()

    private init() {}

    /// - Parameter givesKeys: Whether keys of rows are given out by the store itself.
    init(of url: URL, givesKeys: Bool = true) {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        do {
            if let type = try FileStoreType.of(url) {
                try readObjects(url, type)
                return
            }
            let database = try Database(url.path)
            defer { database.close() }
            try check(database)
            let tables = try database.strings(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
            if givesKeys { try checkGivenKeys(database, tables) }
            try checkRelationships(database, tables)
            if tables.contains("ZITEM") {
                try readItems(database, tables, ExternalFiles(of: url))
            }
            for table in ["ZOWNER", "ZTAG", "ZPLACE", "ZENTRY"] where tables.contains(table) {
                let sql = "SELECT '\(table) ' || ZNAME FROM \(table) ORDER BY 1"
                lines += try database.strings(sql)
            }
            guard tables.contains("ZLIST") else { return }
            lines += try database.strings(
                "SELECT 'list ' || l.ZNAME || ' ' || IFNULL((SELECT group_concat(n) FROM ("
                    + "SELECT e.ZNAME n FROM ZENTRY e WHERE e.ZLIST = l.Z_PK "
                    + "ORDER BY Z_FOK_LIST)), '') FROM ZLIST l ORDER BY 1"
            )
        } catch {
            problems.append("the file can't be read: \(error)")
        }
    }

    /// What is in a copy of a store's folder, so that who comes next finds the files as they were left:
    /// SQLite takes a log in that nobody has open.
    static func ofCopy(_ url: URL) throws -> StoreDump {
        let folder = url.deletingLastPathComponent()
        let copy = folder.appendingPathExtension("copy")
        try FileManager.default.copyItem(at: folder, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        return StoreDump(of: copy.appendingPathComponent(url.lastPathComponent))
    }

    /// How another dump differs, in a few words.
    func difference(to other: StoreDump) -> String {
        let missing = other.lines.filter { !lines.contains($0) }
        let more = lines.filter { !other.lines.contains($0) }
        return "\(missing.count) lines missing (\(missing.first ?? "-")), "
            + "\(more.count) more (\(more.first ?? "-"))"
    }

    /// How many lines differ.
    func distance(to other: StoreDump) -> Int {
        Set(lines).symmetricDifference(other.lines).count
    }

    private mutating func check(_ database: Database) throws {
        let lines = try database.strings("PRAGMA integrity_check")
        if lines != ["ok"] { problems.append("integrity_check: \(lines.prefix(3))") }
    }

    /// No key may be given out twice.
    private mutating func checkGivenKeys(_ database: Database, _ tables: [String]) throws {
        for entity in ["Item", "Owner", "Tag", "List", "Entry"] {
            let table = "Z\(entity.uppercased())"
            guard tables.contains(table) else { continue }
            let reused = try database.strings(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)' "
                    + "AND Z_MAX < (SELECT max(Z_PK) FROM \(table))"
            )
            if !reused.isEmpty { problems.append("\(entity): keys above Z_MAX \(reused)") }
        }
    }

    /// No relationship may lead to nothing.
    private mutating func checkRelationships(_ database: Database, _ tables: [String]) throws {
        // The columns are named as the tables that they lead to.
        for (table, target) in [("ZITEM", "ZOWNER"), ("ZENTRY", "ZLIST")]
        where tables.contains(table) {
            let dangling = try database.strings(
                "SELECT Z_PK FROM \(table) t WHERE \(target) IS NOT NULL "
                    + "AND NOT EXISTS (SELECT 1 FROM \(target) o WHERE o.Z_PK = t.\(target))"
            )
            if !dangling.isEmpty { problems.append("\(table): \(dangling) lead to nothing") }
        }
    }

    private mutating func readItems(
        _ database: Database,
        _ tables: [String],
        _ files: ExternalFiles
    ) throws {
        let columns = try database.strings("SELECT name FROM pragma_table_info('ZITEM')")
        let note = columns.contains("ZREMARK") ? "ZREMARK" : "ZNOTE"
        var tags = "''"
        if let join = tables.first(where: { $0.hasSuffix("TAGS") || $0.hasSuffix("ITEMS") }) {
            let ends = try database.strings("SELECT name FROM pragma_table_info('\(join)')")
            guard let item = ends.first(where: { $0.hasSuffix("ITEMS") }),
                let tag = ends.first(where: { $0.hasSuffix("TAGS") })
            else { throw Database.Failure(text: "\(join) has no ends") }
            tags =
                "(SELECT group_concat(n) FROM (SELECT t.ZNAME n FROM \(join) j "
                + "LEFT JOIN ZTAG t ON t.Z_PK = j.\(tag) WHERE j.\(item) = i.Z_PK ORDER BY 1))"
        }
        let rating = columns.contains("ZRATING") ? "'rated ' || IFNULL(ZRATING, '-')" : "''"
        let code = columns.contains("ZCODE") ? "' code ' || ZCODE" : "''"
        let data = columns.contains("ZDATA") ? "ZDATA" : "NULL"
        try database.rows(
            "SELECT ZNAME, ZVALUE, \(note), (SELECT ZNAME FROM ZOWNER o WHERE o.Z_PK = i.ZOWNER), "
                + "\(tags), \(rating) || \(code), \(data) FROM ZITEM i ORDER BY ZNAME"
        ) { row in
            let texts = (0..<6).map { row.text($0) ?? "-" }
            lines.append("item " + texts.joined(separator: " ") + " " + files.digest(row.data(6)))
        }
    }

    /// XML and binary stores have no reader but the engine.
    private mutating func readObjects(_ url: URL, _ type: String) throws {
        let stack = try Stack(url, type: type, options: [NSReadOnlyPersistentStoreOption: true])
        let context = stack.makeContext()
        lines = try context.inQueue {
            try ["Item", "Owner", "Tag", "Entry", "List"].flatMap { try context.all($0) }
                .map(\.dumpLine)
        }
        try stack.close()
    }
}

/// Stores that are read and written as a whole.
private enum FileStoreType {
    /// The type of a store that is no SQLite database; nil for one that is, or is empty.
    static func of(_ url: URL) throws -> String? {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        let start = try file.read(upToCount: 6) ?? Data()
        if start.isEmpty || start == Data("SQLite".utf8) { return nil }
        return start.starts(with: Data("<?xml".utf8)) ? NSXMLStoreType : NSBinaryStoreType
    }
}

/// The files in which large values are kept.
private struct ExternalFiles {
    let folder: URL

    init(of url: URL) {
        // They are beside the file that a link leads to.
        let url = url.resolvingSymlinksInPath()
        let name = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
        folder = url.deletingLastPathComponent().appendingPathComponent("\(name)/_EXTERNAL_DATA")
    }

    /// What a column's value is, wherever it is kept (Docs/FileFormats.md).
    func digest(_ column: Data?) -> String {
        guard let column else { return "-" }
        guard column.first == 2, column.count == 38 else { return Digest.of(column.dropFirst()) }
        let name = String(decoding: column.dropFirst().dropLast(), as: UTF8.self)
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else {
            return "no-file"
        }
        return Digest.of(data)
    }
}
