import CoreData
import Foundation
import MergeStack

/// One round of a nesting: what it saves, and what must be there in the end.
///
/// @unchecked: the parts that threads share are guarded.
final class NestingRound: @unchecked Sendable {
    /// How many items there are for the contexts of a round; each sets one that no other one sets.
    static let itemCount = 8
    static func itemName(_ number: Int) -> String { "item-\(number)" }

    let stack: NotificationMergeStack
    private let number: Int
    /// What goes on beside the main queue.
    private let group = DispatchGroup()
    private let saved = Guarded<[Int: Int64]>([:])
    private let foreignSaves = Guarded(0)
    private let failures = Guarded<[String]>([])
    private let mergedBefore: Int

    var main: NSManagedObjectContext { stack.mainContext }

    init(_ stack: NotificationMergeStack, _ number: Int) {
        self.stack = stack
        self.number = number
        mergedBefore = stack.merger.statistics.mergeCount
    }

    // MARK: What nestings do

    func makeContext() -> NSManagedObjectContext { stack.makeBackgroundContext() }

    /// Changes an item and saves, on the context's queue.
    func save(_ context: NSManagedObjectContext, _ item: Int) {
        attempt {
            try change(context, item)
            try context.save()
            foreignSaves.withLock { $0 += 1 }
        }
    }

    /// The same in a new context, from any thread.
    func saveInNewContext(_ item: Int) {
        let context = makeContext()
        context.performAndWait { self.save(context, item) }
    }

    /// Changes an item in the main context and saves that, on the main queue.
    func saveMain(_ item: Int) {
        attempt {
            try change(main, item)
            try main.save()
        }
    }

    func change(_ context: NSManagedObjectContext, _ item: Int) throws {
        let value = Int64(number * 10) + (saved.value[item] ?? 0) % 10 + 1
        try context.only("Item", Self.itemName(item)).setValue(value, forKey: "value")
        saved.withLock { $0[item] = value }
    }

    /// What goes on beside the main queue until `end` is called.
    func begin() { group.enter() }
    func end() { group.leave() }

    func onThread(_ body: @escaping @Sendable () -> Void) {
        begin()
        Thread.detachNewThread {
            body()
            self.end()
        }
    }

    func attempt(_ body: () throws -> Void) {
        do { try body() } catch { fail("a save fails: \(Sentence.of(error))") }
    }

    func fail(_ text: String) { failures.withLock { $0.append(text) } }

    // MARK: The end

    /// Calls back on the main queue when all has ended and is merged.
    func whenEnded(_ completion: @escaping @Sendable () -> Void) {
        group.notify(queue: .global()) { self.stack.merger.settled(completion: completion) }
    }

    /// What is wrong, on the main queue: main shows all that was saved, and has merged each save of
    /// another context once.
    func judge(_ items: [NSManagedObject]) -> [String] {
        var wrong = failures.value
        for (item, value) in saved.value {
            let shown = items[item].value(forKey: "value") as? Int64 ?? -1
            if shown != value { wrong.append("main shows \(shown) where \(value) was saved") }
        }
        let merged = stack.merger.statistics.mergeCount - mergedBefore
        if merged != foreignSaves.value {
            wrong.append("\(foreignSaves.value) saves were made, \(merged) were merged")
        }
        return wrong
    }
}
