import CoreData
import Foundation
import MergeExchange
import MergeStack

extension Scenario {
    /// Imports and exports.
    static let exchange: [Scenario] = [
        imported("import-csv", csv, fileName: "items.csv"),
        imported("import-json", json, fileName: "items.json"),
        imported("import-strict", csv, fileName: "items.csv", isStrict: true),
        exported("export-csv", fileName: "exported.csv"),
        exported("export-json", fileName: "exported.json"),
    ]

    private static let recordCount = 60
    private static let batchSize = 20

    /// Half of the records change items that are there; all refer to owners and tags.
    private static func csv(_ count: Int) -> String {
        "name,value,note,owner,tags\n"
            + records(count).map { record in
                "\(record.name),\(record.value),imported,\(record.owner),\(record.tag)\n"
            }.joined()
    }

    private static func json(_ count: Int) -> String {
        let texts = records(count).map { record in
            "{\"name\": \"\(record.name)\", \"value\": \(record.value), \"note\": \"imported\", "
                + "\"owner\": \"\(record.owner)\", \"tags\": [\"\(record.tag)\"]}"
        }
        return "[\(texts.joined(separator: ",\n"))]"
    }

    private static func records(
        _ count: Int
    ) -> [(name: String, value: Int, owner: String, tag: String)] {
        (0..<count).map { number in
            let isThere = number % 2 == 0 && number / 2 < 24
            let index = number / 2
            let name = isThere ? "item\(index < 10 ? "0" : "")\(index)" : "imported\(number)"
            return (name, 1_000 + number, "owner\(number % 5)", "tag\(number % 6)")
        }
    }

    /// Batches that are saved stay where a later one fails; a strict import saves all at once.
    private static func imported(
        _ name: String,
        _ text: @escaping (Int) -> String,
        fileName: String,
        isStrict: Bool = false
    ) -> Scenario {
        var options = ImportOptions()
        options.batchSize = batchSize
        options.isStrict = isStrict
        let finished = options
        func run(_ folder: URL, _ count: Int) throws -> [String] {
            let stack = try NotificationMergeStack(
                model: TortureModel.first,
                stores: [NSPersistentStoreDescription(url: store(in: folder))]
            )
            defer { stack.invalidate() }
            let result = Result {
                try Importer(stack: stack, options: finished).importFileAndWait(
                    at: folder.appendingPathComponent(fileName),
                    entityName: "Item"
                )
            }
            try stack.tearDown()
            let counts = try result.get()
            // What fails now is no record's fault.
            return counts.rowCount == count && counts.failedCount == 0
                ? [] : ["\(counts.failedCount) of \(counts.rowCount) records count as bad"]
        }
        func write(_ count: Int, in folder: URL) throws {
            try Data(text(count).utf8).write(to: folder.appendingPathComponent(fileName))
        }
        return Scenario(
            name: name,
            template: { folder in
                try Samples.filled(store(in: folder))
                try write(recordCount, in: folder)
            },
            isRepeatable: true,
            between: isStrict
                ? []
                : [makeOwners, makeTags]
                    + [batchSize, batchSize * 2].map { count in
                        { folder in
                            try write(count, in: folder)
                            _ = try run(folder, count)
                        }
                    },
            begin: { folder in
                StepAttempt(store(in: folder), .beforeOrAfter) { try run(folder, recordCount) }
            }
        )
    }

    /// What records refer to is made before them, and saved by itself.
    private static func makeOwners(in folder: URL) throws {
        let stack = try Stack(store(in: folder))
        try stack.save { for number in 3..<5 { $0.make("Owner", "owner\(number)") } }
        try stack.close()
    }

    private static func makeTags(in folder: URL) throws {
        let stack = try Stack(store(in: folder))
        try stack.save { for number in 4..<6 { $0.make("Tag", "tag\(number)") } }
        try stack.close()
    }

    /// The file that was there before stays until the new one is complete.
    private static func exported(_ name: String, fileName: String) -> Scenario {
        let old = Data("an older export\n".utf8)
        return Scenario(
            name: name,
            template: { folder in
                try Samples.filled(store(in: folder))
                try old.write(to: folder.appendingPathComponent(fileName))
            },
            isRepeatable: true,
            begin: { folder in
                let url = folder.appendingPathComponent(fileName)
                let expected = try export(folder, to: folder.appendingPathComponent("-\(fileName)"))
                let check = {
                    let data = try Data(contentsOf: url)
                    return data == old || data == expected
                        ? [] : ["the file is not what it should be"]
                }
                return StepAttempt(store(in: folder), check: check) {
                    try export(folder, to: url) == expected
                        ? [] : ["what was exported is not what is there"]
                }
            }
        )
    }

    /// What is in the file afterwards.
    private static func export(_ folder: URL, to url: URL) throws -> Data {
        let stack = try NotificationMergeStack(
            model: TortureModel.first,
            stores: [NSPersistentStoreDescription(url: store(in: folder))]
        )
        defer { stack.invalidate() }
        let result = Result {
            try Exporter(stack: stack).exportFileAndWait(to: url, entityName: "Item")
        }
        try stack.tearDown()
        _ = try result.get()
        return try Data(contentsOf: url)
    }
}
