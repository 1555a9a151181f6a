import CoreData
import Foundation

/// Saves that can be told from outside: from the rows that a crash has left one sees which saves are
/// there, and whether each is there as a whole.
///
/// Save `s` of writer `w` inserts `1 + s % 4` items `w-s-i` whose value is `s`, sets the writer's counter
/// to `s`, and deletes the items of save `s - 20`. The first item of each fifth save has a value in a
/// file of its own.
enum Ledger {
    /// How many saves back the items are deleted.
    static let span = 20

    static func counterName(_ writer: Int) -> String { "counter-\(writer)" }
    static func name(_ writer: Int, _ save: Int, _ index: Int) -> String {
        "\(writer)-\(save)-\(index)"
    }
    static func itemCount(_ save: Int) -> Int { 1 + save % 4 }

    static func data(_ save: Int, _ index: Int) -> Data? {
        save % 5 == 0 && index == 0 ? Samples.large(UInt8(save % 200)) : nil
    }

    /// Makes the changes of a save, which is left to the caller.
    static func change(_ context: NSManagedObjectContext, _ writer: Int, _ save: Int) throws {
        let counter = try counter(context, writer)
        counter.setValue(Int64(save), forKey: "value")
        let owner = try context.all("Owner").first ?? context.make("Owner", "owner")
        for index in 0..<itemCount(save) {
            let item = context.make("Item", name(writer, save, index))
            item.setValue(Int64(save), forKey: "value")
            item.setValue(owner, forKey: "owner")
            if let data = data(save, index) { item.setValue(data, forKey: "data") }
        }
        let old = NSFetchRequest<NSManagedObject>(entityName: "Item")
        old.predicate = NSPredicate(format: "name BEGINSWITH %@", "\(writer)-\(save - span)-")
        for item in try context.fetch(old) { context.delete(item) }
    }

    /// The number of the writer's last save; 0 before its first.
    static func lastSave(_ context: NSManagedObjectContext, _ writer: Int) throws -> Int {
        Int(try counter(context, writer).value(forKey: "value") as? Int64 ?? 0)
    }

    private static func counter(
        _ context: NSManagedObjectContext,
        _ writer: Int
    ) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "name == %@", counterName(writer))
        return try context.fetch(request).first ?? context.make("Item", counterName(writer))
    }
}

/// What a crash has left of the saves of a ledger, by SQLite alone.
struct LedgerCheck {
    /// What is wrong, in sentences.
    private(set) var violations: [String] = []
    /// The last save of each writer that is in the file.
    private(set) var lastSaves: [Int: Int] = [:]

    /// - Parameters:
    ///   - acknowledged: The last save of each writer that has returned.
    ///   - slack: How many saves may be there beyond these: those that were made and not told of.
    init(_ url: URL, acknowledged: [Int: Int], slack: Int = 1) throws {
        let dump = try StoreDump.ofCopy(url)
        violations = dump.problems
        guard violations.isEmpty else { return }
        // A line is: item NAME VALUE NOTE OWNER TAGS RATING DATA.
        var items: [String: (value: Int, data: String)] = [:]
        for line in dump.lines where line.hasPrefix("item ") {
            let parts = line.split(separator: " ")
            guard let value = Int(parts[2]), let data = parts.last else { continue }
            items[String(parts[1])] = (value, String(data))
        }
        for (writer, told) in acknowledged {
            let last = items[Ledger.counterName(writer)]?.value ?? 0
            lastSaves[writer] = last
            if last < told {
                violations.append("writer \(writer): \(told - last) acknowledged saves are lost")
            }
            if last > told + slack {
                violations.append("writer \(writer): save \(last) is there, \(told) was the last")
            }
            check(writer, last, items)
        }
    }

    /// Each save is there as a whole, and none beyond the counter.
    private mutating func check(
        _ writer: Int,
        _ last: Int,
        _ items: [String: (value: Int, data: String)]
    ) {
        var expected = 0
        for save in stride(from: max(1, last - Ledger.span + 1), through: last, by: 1) {
            for index in 0..<Ledger.itemCount(save) {
                let name = Ledger.name(writer, save, index)
                expected += 1
                guard let item = items[name] else {
                    violations.append("\(name) is missing, the last save is \(last)")
                    continue
                }
                let data = Ledger.data(save, index).map { Digest.of($0) } ?? "-"
                if item.value != save || item.data != data {
                    violations.append("\(name) has other values: \(item.value) \(item.data)")
                }
            }
        }
        let found = items.keys.filter { $0.hasPrefix("\(writer)-") }.count
        if found != expected {
            violations.append("writer \(writer): \(found) items, \(expected) expected")
        }
    }
}
