import CoreData
import Foundation
import MergeStack

/// One thread that saves as apps do: in contexts that it throws away after some saves, it makes,
/// changes, relates and deletes objects of its own, and changes some that others change, too.
///
/// It writes down what its own objects are after each save: the history by which the file is judged.
///
/// @unchecked: used by its thread alone, and by who has waited for that.
final class HistoryWriter: @unchecked Sendable {
    /// An item as it was saved last.
    struct Item {
        var value: Int64
        var owner: String?
        var tags: Set<String>
        var data: Data?
    }

    /// How many of the shared objects there are of each kind.
    static let sharedCount = 4
    private static let itemLimit = 24

    let number: Int
    private let stack: NotificationMergeStack
    private let drops: SaveDropper?
    private var numbers: SeededNumbers
    private var context: NSManagedObjectContext?
    private var savesLeft = 0

    private(set) var saveCount = 0
    private var items: [String: Item] = [:]
    private var entries: [String] = []

    init(
        _ number: Int,
        _ stack: NotificationMergeStack,
        _ numbers: SeededNumbers,
        drops: SaveDropper?
    ) {
        self.number = number
        self.stack = stack
        self.numbers = numbers
        self.drops = drops
    }

    /// The name of the item that each save of the writer sets to the save's number.
    static func markName(_ writer: Int) -> String { "mark-\(writer)" }
    static func listName(_ writer: Int) -> String { "list-\(writer)" }
    private var prefix: String { "w\(number)-" }

    func run(_ count: Int) throws {
        for _ in 0..<count {
            let context = nextContext()
            let save = saveCount + 1
            try context.inQueue {
                try context.item(Self.markName(number)).setValue(Int64(save), forKey: "value")
                for _ in 0...numbers.number(below: 3) { try change(context, save) }
                if let drops {
                    try drops.save(context)
                } else {
                    try context.save()
                }
            }
            saveCount = save
        }
        context = nil
    }

    /// The lines that a dump must have of the objects that nobody else touches.
    var expectedLines: [String] {
        items.map { name, item in
            NSManagedObject.itemLine(
                name,
                value: item.value,
                note: nil,
                owner: item.owner,
                tags: item.tags.sorted(),
                data: item.data
            )
        } + [NSManagedObject.listLine(Self.listName(number), entries)]
            + entries.map { "ZENTRY \($0)" }
    }

    /// The lines of a dump that tell of these objects.
    func ownLines(_ dump: StoreDump) -> [String] {
        let starts = ["item \(prefix)", "list \(Self.listName(number)) ", "ZENTRY \(prefix)"]
        return dump.lines.filter { line in starts.contains { line.hasPrefix($0) } }
    }

    /// A context for some more saves: a new one after up to thirty of them.
    private func nextContext() -> NSManagedObjectContext {
        if let context, savesLeft > 0 {
            savesLeft -= 1
            return context
        }
        savesLeft = numbers.number(below: 30)
        let kind = numbers.number(below: 2) == 0 ? BackgroundContextKind.privateQueue : .confinement
        let made = stack.makeBackgroundContext(kind, name: "writer-\(number)")
        context = made
        return made
    }

    // MARK: Changes

    private func change(_ context: NSManagedObjectContext, _ save: Int) throws {
        switch numbers.number(below: 9) {
        case 0, 1: try insert(context, save)
        case 2 where !items.isEmpty: try update(context, save)
        case 3 where !items.isEmpty: try delete(context)
        case 4 where !items.isEmpty: try relate(context)
        case 5: addEntry(try context.list(number), context, save)
        case 6 where entries.count > 1: moveEntry(try context.list(number))
        case 7 where !entries.isEmpty: removeEntry(try context.list(number), context)
        default: try changeShared(context, save)
        }
    }

    private func insert(_ context: NSManagedObjectContext, _ save: Int) throws {
        guard items.count < Self.itemLimit else { return try delete(context) }
        let name = "\(prefix)\(save)-\(items.count)"
        // Two of these in one save may take the same name after a deletion between them.
        guard items[name] == nil else { return }
        var item = Item(value: Int64(save), owner: nil, tags: [])
        let object = context.make("Item", name)
        object.setValue(item.value, forKey: "value")
        if numbers.number(below: 30) == 0 { item.data = Samples.large(UInt8(save % 200)) }
        object.setValue(item.data, forKey: "data")
        items[name] = item
        try relate(object, name, context)
    }

    private func update(_ context: NSManagedObjectContext, _ save: Int) throws {
        let name = anyName()
        try context.item(name).setValue(Int64(save), forKey: "value")
        items[name]?.value = Int64(save)
    }

    private func delete(_ context: NSManagedObjectContext) throws {
        let name = anyName()
        context.delete(try context.item(name))
        items[name] = nil
    }

    private func relate(_ context: NSManagedObjectContext) throws {
        let name = anyName()
        try relate(try context.item(name), name, context)
    }

    private func relate(
        _ object: NSManagedObject,
        _ name: String,
        _ context: NSManagedObjectContext
    ) throws {
        let isOwned = numbers.number(below: 3) > 0
        let owner = isOwned ? try context.shared("Owner", anyShared()) : nil
        object.setValue(owner, forKey: "owner")
        items[name]?.owner = owner?.label
        let tags = Set(
            try (0..<numbers.number(below: 3)).map { _ in
                try context.shared("Tag", anyShared())
            }
        )
        object.setValue(tags, forKey: "tags")
        items[name]?.tags = Set(tags.map(\.label))
    }

    private func addEntry(
        _ list: NSManagedObject,
        _ context: NSManagedObjectContext,
        _ save: Int
    ) {
        let name = "\(prefix)\(save)-e\(entries.count)"
        guard !entries.contains(name) else { return }
        let place = numbers.number(below: entries.count + 1)
        list.mutableOrderedSetValue(forKey: "entries")
            .insert(context.make("Entry", name), at: place)
        entries.insert(name, at: place)
    }

    private func moveEntry(_ list: NSManagedObject) {
        let old = numbers.number(below: entries.count), new = numbers.number(below: entries.count)
        let set = list.mutableOrderedSetValue(forKey: "entries")
        let entry = set.object(at: old)
        set.removeObject(at: old)
        set.insert(entry, at: new)
        entries.insert(entries.remove(at: old), at: new)
    }

    private func removeEntry(_ list: NSManagedObject, _ context: NSManagedObjectContext) {
        let place = numbers.number(below: entries.count)
        let set = list.mutableOrderedSetValue(forKey: "entries")
        guard let entry = set.object(at: place) as? NSManagedObject else { return }
        context.delete(entry)
        set.removeObject(at: place)
        entries.remove(at: place)
    }

    /// Something that others change, too: the last one to save wins.
    private func changeShared(_ context: NSManagedObjectContext, _ save: Int) throws {
        let item = try context.shared("Item", anyShared())
        item.setValue(Int64(number * 1_000_000 + save), forKey: "value")
        if numbers.number(below: 2) == 0 {
            item.setValue(try context.shared("Owner", anyShared()), forKey: "owner")
        }
    }

    private func anyShared() -> Int { numbers.number(below: Self.sharedCount) }

    private func anyName() -> String {
        // In an order that the seed gives; a dictionary's own is another one in each process.
        let names = items.keys.sorted()
        return names[numbers.number(below: names.count)]
    }
}

/// The planted defect of R7: of each thousand saves one is not merged.
final class SaveDropper: Sendable {
    private static let span = 1_000

    private let merger: DidSaveMerger
    private let count: Guarded<Int>

    /// - Parameter count: How many saves there were, in all rounds.
    init(_ merger: DidSaveMerger, count: Guarded<Int>) {
        self.merger = merger
        self.count = count
    }

    /// In the context's queue.
    func save(_ context: NSManagedObjectContext) throws {
        let isDropped = count.withLock { number in
            number += 1
            return number % Self.span == 0
        }
        if isDropped { merger.exclude(context) }
        defer { if isDropped { merger.include(context) } }
        try context.save()
    }
}

extension NSManagedObjectContext {
    /// The object of that name.
    ///
    /// - Throws: If there is none.
    func only(_ entity: String, _ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "name == %@", name)
        guard let object = try fetch(request).first else {
            throw UsageError(text: "\(entity) \(name) is not there")
        }
        return object
    }

    fileprivate func item(_ name: String) throws -> NSManagedObject { try only("Item", name) }
    fileprivate func list(_ writer: Int) throws -> NSManagedObject {
        try only("List", HistoryWriter.listName(writer))
    }
    fileprivate func shared(_ entity: String, _ number: Int) throws -> NSManagedObject {
        try only(entity, "shared-\(number)")
    }
}
