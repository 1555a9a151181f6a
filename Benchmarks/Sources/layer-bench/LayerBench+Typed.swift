import Baseline
import CoreData
import Foundation

/// The same workloads through generated accessors.
extension LayerBench {
    private func makeTypedCoordinator(_ file: URL) throws -> NSPersistentStoreCoordinator {
        let model = makeModel()
        model.entities[0].managedObjectClassName = NSStringFromClass(TypedItem.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: file,
            options: nil
        )
        return coordinator
    }

    func typedInsert(batch: Int) throws -> Double {
        let coordinator = try makeTypedCoordinator(nextFile())
        return try milliseconds {
            for start in stride(from: 0, to: items.count, by: batch) {
                let context = makeContext(coordinator)
                try context.performAndWait {
                    for item in items[start..<min(start + batch, items.count)] {
                        fill(TypedItem(context: context), item)
                    }
                    try context.save()
                }
            }
        }
    }

    private func fill(_ object: TypedItem, _ item: Item) {
        object.i1 = item.integers.0
        object.i2 = item.integers.1
        object.i3 = item.integers.2
        object.i4 = item.integers.3
        object.d1 = item.reals.0
        object.d2 = item.reals.1
        object.s1 = item.texts.0
        object.s2 = item.texts.1
        object.s3 = item.texts.2
        object.t = Date(timeIntervalSinceReferenceDate: item.date)
    }

    func typedFetch() throws -> Double {
        guard let file = storeFile else { return 0 }
        let coordinator = try makeTypedCoordinator(file)
        var sum = 0.0
        let result = try milliseconds {
            let context = makeContext(coordinator)
            try context.performAndWait {
                for object in try context.fetch(NSFetchRequest<TypedItem>(entityName: "Item")) {
                    sum += Self.readAll(object)
                }
            }
        }
        precondition(sum != 0)
        return result
    }

    private static func readAll(_ object: TypedItem) -> Double {
        let integers = object.i1 &+ object.i2 &+ object.i3 &+ object.i4
        let reals = object.d1 + object.d2 + (object.t?.timeIntervalSinceReferenceDate ?? 0)
        let texts =
            (object.s1?.utf8.count ?? 0) + (object.s2?.utf8.count ?? 0)
            + (object.s3?.utf8.count ?? 0)
        return Double(integers) + reals + Double(texts)
    }

    /// Nanoseconds for one access to an object at hand: by a typed accessor, and by key.
    func accessCosts(_ access: Access) throws -> (typed: Double, byKey: Double) {
        guard let file = storeFile else { return (0, 0) }
        let coordinator = try makeTypedCoordinator(file)
        let context = makeContext(coordinator)
        return try context.performAndWait {
            let request = NSFetchRequest<TypedItem>(entityName: "Item")
            request.fetchLimit = 1_000
            let objects = try context.fetch(request)
            for object in objects { _ = object.i1 }
            func cost(_ body: (TypedItem) -> Void) -> Double {
                var best = Double.infinity
                for _ in 0..<20 {
                    best = min(best, milliseconds { for object in objects { body(object) } })
                }
                return best * 1e6 / Double(objects.count)
            }
            return (cost(access.typed), cost(access.byKey))
        }
    }

    /// One kind of access, in both ways.
    struct Access {
        let name: String
        let typed: (TypedItem) -> Void
        let byKey: (TypedItem) -> Void

        nonisolated(unsafe) private static var sum = 0

        static var all: [Access] {
            [
                Access(
                    name: "get an integer",
                    typed: { sum &+= Int($0.i1) },
                    byKey: { sum &+= ($0.value(forKey: "i1") as? Int) ?? 0 }
                ),
                Access(
                    name: "get a text",
                    typed: { sum &+= $0.s1?.utf8.count ?? 0 },
                    byKey: { sum &+= ($0.value(forKey: "s1") as? String)?.utf8.count ?? 0 }
                ),
                Access(
                    name: "set an integer",
                    typed: { $0.i2 = 7 },
                    byKey: { $0.setValue(7, forKey: "i2") }
                ),
                Access(
                    name: "set a text",
                    typed: { $0.s2 = "seven" },
                    byKey: { $0.setValue("seven", forKey: "s2") }
                ),
            ]
        }
    }
}
