#if PostgreSQL
import Foundation

/// What processes were told of their saves, beside what a server has of them.
struct SharingRecord {
    private let accounts: [SharingProcess.Account]

    init(_ accounts: [SharingProcess.Account]) { self.accounts = accounts }

    /// What is wrong, in sentences.
    func violations(_ connection: ServerConnection, _ lines: [String]) throws -> [String] {
        var counts: [String: Int] = [:]
        var notes: [String: String] = [:]
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            counts["\(words[0]) \(words[1])", default: 0] += 1
            if words[0] == "item" { notes[words[1]] = words[3] }
        }
        var wrong: [String] = []
        for (what, table) in [("item", "item"), ("tag", "ZTAG"), ("entry", "ZENTRY")] {
            wrong += judge(what, counts, "\(table) ")
        }
        for name in names("note", .saved) where notes[name] != "noted" {
            wrong.append("an acknowledged change of \(name) is lost")
        }
        for name in Set(names("note", .failed)).subtracting(names("note", .saved))
            .subtracting(names("note", .unknown)) where notes[name] == "noted"
        {
            wrong.append("a change of \(name) that failed is there")
        }
        return try wrong + sums(connection)
    }

    /// Each acknowledged save is there once, and none that failed.
    private func judge(_ what: String, _ counts: [String: Int], _ stem: String) -> [String] {
        let saved = names(what, .saved), unknown = Set(names(what, .unknown))
        var wrong = saved.filter { counts[stem + $0] != 1 }.map { name in
            let count = counts[stem + name] ?? 0
            return "the acknowledged \(what) \(name) is there \(count) times"
        }
        if Set(saved).count != saved.count {
            wrong.append("two \(what) of one name were acknowledged")
        }
        let failed = Set(names(what, .failed) + names(what, .refused))
        for name in failed.subtracting(saved).subtracting(unknown) where counts[stem + name] != nil
        {
            wrong.append("\(what) \(name) is there, and all who saved it were refused")
        }
        return wrong
    }

    /// The sum of what was added is what was acknowledged, and each addition has made a version.
    private func sums(_ connection: ServerConnection) throws -> [String] {
        let saved = Dictionary(names("add", .saved).map { ($0, 1) }, uniquingKeysWith: +)
        let unknown = Dictionary(names("add", .unknown).map { ($0, 1) }, uniquingKeysWith: +)
        let rows = try connection.rows(
            "SELECT \"ZNAME\", \"ZVALUE\", \"Z_OPT\" FROM \"ZITEM\" WHERE \"ZNAME\" LIKE 'counter-%'"
        )
        return rows.flatMap { row -> [String] in
            let name = row[0] ?? "", value = row[1].flatMap { Int($0) } ?? -1
            let version = row[2].flatMap { Int($0) } ?? -1
            let least = saved[name] ?? 0, most = least + (unknown[name] ?? 0)
            var wrong: [String] = []
            if !(least...most).contains(value) {
                wrong.append("\(name) is \(value), \(least) to \(most) increments were saved")
            }
            if version != value + 1 { wrong.append("\(name) is \(value) at version \(version)") }
            return wrong
        }
    }

    private func names(_ what: String, _ outcome: SaveOutcome) -> [String] {
        accounts.flatMap { $0.names[what]?[outcome] ?? [] }
    }
}
#endif
