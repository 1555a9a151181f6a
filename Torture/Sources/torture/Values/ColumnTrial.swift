import CSQLiteLibrary
import CoreData
import Foundation

/// What another program has put into a column, as SQL writes it.
enum HostileColumn {
    static let all: [(label: String, column: String, sql: String)] =
        texts + numbers + others

    static func named(_ label: String) -> (column: String, sql: String)? {
        all.first { $0.label == label }.map { ($0.column, $0.sql) }
    }

    private static let texts =
        [
            ("bad-utf-8", "CAST(x'61ff62' AS TEXT)"), ("cut-utf-8", "CAST(x'61e282' AS TEXT)"),
            ("overlong", "CAST(x'c080' AS TEXT)"), ("surrogate", "CAST(x'eda080' AS TEXT)"),
            ("beyond-unicode", "CAST(x'f4908080' AS TEXT)"), ("nul", "CAST(x'610062' AS TEXT)"),
            ("bytes", "x'00ff'"), ("number", "12"), ("real", "1.5"), ("empty-bytes", "x''"),
        ].flatMap { label, sql in
            ["TEXT", "URI", "DECIMAL"].map { ("\($0.lowercased())-\(label)", "Z\($0)", sql) }
        }

    private static let numbers =
        [
            ("too-large", "99999999999"), ("text", "'abc'"), ("empty-text", "''"),
            ("bytes", "x'00'"),
            ("real", "1.5"), ("huge", "9e999"), ("lowest", "-9e999"),
            ("largest", "9223372036854775807"),
            ("digits", "'12'"), ("bad-utf-8", "CAST(x'ff' AS TEXT)"),
        ].flatMap { label, sql in
            ["INT16", "INT64", "FLAG", "DOUBLE", "FLOAT", "DATE"].map {
                ("\($0.lowercased())-\(label)", "Z\($0)", sql)
            }
        }

    private static let others = [
        ("uuid-short", "ZUUID", "x'00'"), ("uuid-long", "ZUUID", "zeroblob(17)"),
        ("uuid-text", "ZUUID", "'00112233-4455-6677-8899-AABBCCDDEEFF'"),
        ("uuid-number", "ZUUID", "1"),
        ("data-text", "ZDATA", "'text'"), ("data-number", "ZDATA", "5"),
        ("data-real", "ZDATA", "0.5"),
        ("outside-no-marker", "ZOUTSIDE", "x'ff00'"), ("outside-text", "ZOUTSIDE", "'2text'"),
        ("outside-path", "ZOUTSIDE", "CAST(x'02' || '../../../etc/passwd' || x'00' AS BLOB)"),
        (
            "outside-missing", "ZOUTSIDE",
            "CAST(x'02' || '00112233-4455-6677-8899-AABBCCDDEEFF' || x'00' AS BLOB)"
        ),
        ("object-bytes", "ZOBJECT", "x'00ff'"), ("object-text", "ZOBJECT", "'bplist00'"),
        ("object-number", "ZOBJECT", "7"), ("object-large", "ZOBJECT", "randomblob(1000000)"),
    ]
}

/// Reads a row of which another program has written one column.
struct ColumnTrial {
    let folder: URL

    func run(_ column: String, _ sql: String) throws -> [String] {
        let url = folder.appendingPathComponent("Store.sqlite")
        var stack = try Stack(url, model: ValueModel.model)
        try stack.save { context in
            for name in ["first", "second"] {
                let thing = NSEntityDescription.insertNewObject(
                    forEntityName: "Thing",
                    into: context
                )
                thing.setValue(name, forKey: "thingID")
                thing.setValue("plain", forKey: "text")
            }
        }
        try stack.close()
        let before = try write(url, column, sql)
        stack = try Stack(url, model: ValueModel.model)
        var wrong: [String] = []
        do {
            wrong = try read(stack, String(column.dropFirst()).lowercased())
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            // A value of another type than the attribute's makes a fetch of its row damage.
        }
        try stack.close()
        let after = try content(url, column)
        // What nobody has set stays as it was in the file.
        return after == before ? wrong : wrong + ["the column was \(before), and is \(after)"]
    }

    private func write(_ url: URL, _ column: String, _ sql: String) throws -> String {
        let database = try Database(url.path)
        _ = try database.strings("UPDATE ZTHING SET \(column) = \(sql) WHERE ZTHINGID = 'first'")
        database.close()
        return try content(url, column)
    }

    private func content(_ url: URL, _ column: String) throws -> String {
        let database = try Database(url.path)
        defer { database.close() }
        return try database.strings(
            "SELECT typeof(\(column)) || ' ' || hex(\(column)) FROM ZTHING WHERE ZTHINGID = 'first'"
        ).first.map { String($0.prefix(80)) } ?? "nothing"
    }

    /// Reads, prints, searches and saves; what is refused has an error.
    private func read(_ stack: Stack, _ key: String) throws -> [String] {
        let context = stack.makeContext()
        return try context.inQueue {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.sortDescriptors = [NSSortDescriptor(key: "thingID", ascending: true)]
            let things = try context.fetch(request)
            guard things.count == 2 else { return ["\(things.count) of 2 objects are read"] }
            var wrong: [String] = []
            if things[1].value(forKey: "text") as? String != "plain" {
                wrong.append("the other object has another value")
            }
            let value = things[0].value(forKey: key)
            _ = "\(things[0])".count
            _ = value.map { "\($0)".count }
            // Nothing was set: a save has nothing to say of it.
            things[0].setValue("renamed", forKey: "thingID")
            try context.save()
            things[0].setValue("first", forKey: "thingID")
            try context.save()
            if key != "object" {
                request.predicate = NSPredicate(format: "%K == nil OR %K != nil", key, key)
                let count = try context.fetch(request).count
                if count != 2 { wrong.append("\(count) of 2 objects are nil or are not") }
                let sorts = key == "outside" ? "thingID" : key
                request.sortDescriptors = [NSSortDescriptor(key: sorts, ascending: true)]
                _ = try context.fetch(request)
            }
            return wrong
        }
    }
}
