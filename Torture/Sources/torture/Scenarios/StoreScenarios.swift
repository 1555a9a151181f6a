import CoreData
import Foundation

extension Scenario {
    /// Opening, reading and closing.
    static let stores: [Scenario] = [
        opening("first-opening", template: { _ in }, isFilled: false),
        opening("opening", template: { try Samples.filled($0) }, isFilled: true),
        opening("opening-log", template: Samples.leftOpen, isFilled: true),
        opening(
            "opening-read-only",
            options: [NSReadOnlyPersistentStoreOption: true],
            template: { try Samples.filled($0) },
            isFilled: true
        ),
        opening(
            "opening-vacuum",
            options: [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true],
            template: { try Samples.filled($0) },
            isFilled: true
        ),
        opening(
            "opening-for-history",
            options: Stack.history,
            template: { try Samples.filled($0) },
            isFilled: true
        ),
        Scenario(
            name: "reading",
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in
                let stack = try Stack(store(in: folder))
                let expected = try values(stack)
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    try values(stack) == expected ? [] : ["what was read is not what is there"]
                }
            }
        ),
        Scenario(
            name: "faults",
            template: { try Samples.filled(store(in: $0)) },
            begin: { FaultsAttempt(try Stack(store(in: $0))) }
        ),
        Scenario(
            name: "closing",
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in
                let stack = try Stack(store(in: folder))
                try stack.save { $0.make("Owner", "last") }
                return StepAttempt(store(in: folder)) {
                    try stack.close()
                    return []
                }
            }
        ),
    ]

    private static func values(_ stack: Stack) throws -> [String] {
        let context = stack.makeContext()
        return try context.inQueue { try context.itemValues() }
    }

    static func seen(_ stack: Stack) throws -> [String] {
        let context = stack.makeContext()
        return try context.inQueue { try context.seen() }
    }

    /// Opens a store, and reads it if there is something in it.
    static func opening(
        _ name: String,
        type: String = NSSQLiteStoreType,
        options: [AnyHashable: Any]? = nil,
        template: @escaping (URL) throws -> Void,
        isFilled: Bool
    ) -> Scenario {
        Scenario(
            name: name,
            template: { try template(store(in: $0)) },
            isRepeatable: true,
            begin: { folder in
                let kept = Kept<Stack>()
                return StepAttempt(store(in: folder), finish: { try kept.value?.close() }) {
                    try kept.value?.close()
                    kept.value = nil
                    let stack = try Stack(store(in: folder), type: type, options: options)
                    kept.value = stack
                    let count = try seen(stack).count
                    return count == (isFilled ? 33 : 0) ? [] : ["\(count) objects were read"]
                }
            }
        )
    }
}

/// Objects are fetched, and their values and relationships are read while something fails.
///
/// What can't be read has no value then, and `shouldDeleteInaccessibleFaults` says what becomes of it;
/// the program goes on, nothing is changed by itself, and a fresh context reads all.
private final class FaultsAttempt: Attempt {
    var url: URL { stack.url }
    private let stack: Stack
    private let context: NSManagedObjectContext
    private var items: [NSManagedObject] = []

    init(_ stack: Stack) {
        self.stack = stack
        context = stack.makeContext()
        let context = context
        items = context.inQueue {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.includesPropertyValues = false
            // The attempt's first read is one that may fail; without objects it finds nothing wrong.
            return (try? context.fetch(request)) ?? []
        }
    }

    func act() throws {
        context.inQueue {
            for item in items {
                _ = item.value(forKey: "name")
                _ = item.value(forKey: "data")
                _ = (item.value(forKey: "tags") as? Set<NSManagedObject>)?.map(\.label)
                _ = (item.value(forKey: "owner") as? NSManagedObject)?.value(forKey: "items")
            }
        }
    }

    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String] {
        var wrong: [String] = items.count == 24 ? [] : ["\(items.count) items"]
        if let clean { wrong += compare(stack.url, with: [clean.before], "after faults") }
        let fresh = stack.makeContext()
        let read = try fresh.inQueue { try fresh.seen() }
        if read.count != 33 { wrong.append("a fresh context reads \(read.count) objects") }
        return wrong
    }

    func end() throws { try stack.close() }
}
