import CoreData
import Foundation

extension Scenario {
    static let saves: [Scenario] = [
        save("insert") { context in
            let owner = try context.all("Owner").first
            for index in 0..<10 {
                let item = context.make("Item", "new\(index)")
                item.setValue(Int64(index), forKey: "value")
                item.setValue(owner, forKey: "owner")
            }
        },
        save("update") { context in
            for item in try context.all("Item") { item.setValue(Int64(1000), forKey: "value") }
        },
        save("delete") { context in
            for item in try context.all("Item").prefix(8) { context.delete(item) }
            for list in try context.all("List").prefix(1) { context.delete(list) }
        },
        save("many-to-many") { context in
            let tags = try context.all("Tag")
            for (index, item) in try context.all("Item").enumerated() {
                item.setValue(Set([tags[(index + 2) % tags.count]]), forKey: "tags")
            }
        },
        save("ordered") { context in
            for list in try context.all("List") {
                let entries = list.value(forKey: "entries") as? NSOrderedSet ?? []
                var names = Array(entries.array.reversed().dropFirst())
                names.append(context.make("Entry", "last of \(list.label)"))
                list.setValue(NSOrderedSet(array: names), forKey: "entries")
            }
        },
        save("external-data") { context in
            let items = try context.all("Item")
            items[0].setValue(Samples.large(7), forKey: "data")
            items[1].setValue(nil, forKey: "data")
            items[3].setValue(Samples.large(8), forKey: "data")
            context.make("Item", "new").setValue(Samples.large(9), forKey: "data")
        },
        save("history", options: Stack.history) { context in
            let items = try context.all("Item")
            context.make("Item", "new").setValue(items[0].value(forKey: "owner"), forKey: "owner")
            for item in items.prefix(6) { item.setValue(Int64(-1), forKey: "value") }
            context.delete(items[7])
        },
    ]

    /// A save of a filled store.
    ///
    /// - Parameter change: Changes a context, in its queue; what others save meanwhile is there before.
    static func save(
        _ name: String,
        type: String = NSSQLiteStoreType,
        options: [AnyHashable: Any]? = nil,
        _ change: @escaping (NSManagedObjectContext) throws -> Void
    ) -> Scenario {
        Scenario(
            name: name,
            template: { try Samples.filled(store(in: $0), options, type: type) },
            begin: { folder in
                try SaveAttempt(Stack(store(in: folder), type: type, options: options), change)
            }
        )
    }
}
