import CoreData
import StackSupport
import TestSupport
import XCTest

@testable import MergeStack

/// Eight threads save while a results controller on main follows; in the end all agree.
class MergeStressTests: StoreTestCase {
    private static let threadCount = 8
    private static let saveCount = 200

    func testManyWritersAndALiveResultsController() throws {
        // All: the controller must also see objects that main never had and that come to match.
        let items = try makeItems(MergeOptions(faultPolicy: .all))
        defer { items.remove() }
        for index in 0..<10 { try items.insertInBackground("shared \(index)") }
        settle(items)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "number >= 100")
        request.sortDescriptors = [
            NSSortDescriptor(key: "number", ascending: false),
            NSSortDescriptor(key: "name", ascending: true),
        ]
        let followed = try FollowedItems(
            in: items.main,
            where: request.predicate,
            by: request.sortDescriptors ?? []
        )

        let writers = (0..<Self.threadCount).map { thread in
            background {
                var writer = Writer(thread, items)
                try writer.run(saveCount: Self.saveCount)
            }
        }
        wait(for: writers, timeout: 600)
        settle(items)

        let everything = NSFetchRequest<NSManagedObject>(entityName: "Item")
        let inMain = try lines(items.main.fetch(everything))
        let fresh = try items.stack.performBackgroundAndWait(saves: false) { context in
            try lines(context.fetch(everything))
        }
        XCTAssertEqual(inMain, fresh)
        let listed = followed.objects.map { line($0) }
        XCTAssertEqual(listed, try items.main.fetch(request).map { line($0) })
        XCTAssertGreaterThan(listed.count, 0)
        if storeType == NSSQLiteStoreType, let rows = try shellRows(items.storeURL) {
            XCTAssertEqual(fresh, rows)
        }
        // An item may be set to what it is already, which is no save.
        XCTAssertGreaterThan(items.stack.merger.statistics.mergeCount, 1400)
    }

    private func lines(_ items: [NSManagedObject]) -> [String] {
        items.map { line($0) }.sorted()
    }

    private func line(_ item: NSManagedObject) -> String {
        let number = (item.value(forKey: "number") as? NSNumber)?.int64Value ?? -1
        return "\(item.value(forKey: "name") as? String ?? "")|\(number)"
    }

    /// What SQLite's own shell finds; nil where there is none.
    private func shellRows(_ url: URL) throws -> [String]? {
        guard SQLiteShell.isThere else { return nil }
        return try SQLiteShell.rows(url, "SELECT ZNAME, ZNUMBER FROM ZITEM").sorted()
    }
}

/// Inserts, updates and deletes items of its own, and updates shared ones.
private struct Writer {
    private let thread: Int
    private let items: ItemStack
    private var state: UInt64
    private var names: [String] = []

    init(_ thread: Int, _ items: ItemStack) {
        self.thread = thread
        self.items = items
        state = UInt64(thread) &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func run(saveCount: Int) throws {
        for save in 0..<saveCount {
            let kind: BackgroundContextKind =
                (thread + save) % 2 == 0 ? .privateQueue : .confinement
            let number = next(200)
            switch next(4) {
            case 0 where !names.isEmpty:
                let name = names.remove(at: next(names.count))
                try items.stack.performBackgroundAndWait(kind) { context in
                    context.delete(try ItemStack.fetch(name, in: context))
                }
            case 1 where !names.isEmpty:
                let name = names[next(names.count)]
                try items.stack.performBackgroundAndWait(kind) { context in
                    try ItemStack.fetch(name, in: context).setValue(number, forKey: "number")
                }
            case 2:
                let name = "shared \(next(10))"
                try items.stack.performBackgroundAndWait(kind) { context in
                    try ItemStack.fetch(name, in: context).setValue(number, forKey: "number")
                }
            default:
                let name = "\(thread)-\(save)"
                names.append(name)
                try items.stack.performBackgroundAndWait(kind) { context in
                    ItemStack.insert(name, number, into: context)
                }
            }
        }
    }

    private mutating func next(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}
