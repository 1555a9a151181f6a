import CoreData
import TestSupport
import Testing

/// An object that counts how many of its class are alive.
final class Counted: NSManagedObject {
    static let alive = Counter()
    private let token = Counter.Token(Counted.alive)

    static func model() -> NSManagedObjectModel {
        let country = RulesModel.entity("Country", ["name": .stringAttributeType])
        let airport = RulesModel.entity("Airport", ["name": .stringAttributeType])
        RulesModel.relate(country, "airports", .cascadeDeleteRule, 0, airport, "country", 1)
        for entity in [country, airport] {
            entity.managedObjectClassName = NSStringFromClass(Counted.self)
        }
        let model = NSManagedObjectModel()
        model.entities = [country, airport]
        return model
    }
}

/// A number that threads share.
final class Counter: @unchecked Sendable {
    // @unchecked: `number` is behind `lock`.
    private let lock = NSLock()
    private var number = 0
    var value: Int { lock.withLock { number } }
    func add(_ amount: Int) { lock.withLock { number += amount } }

    /// Counts for as long as it lives.
    final class Token {
        private let counter: Counter
        init(_ counter: Counter) {
            self.counter = counter
            counter.add(1)
        }
        deinit { counter.add(-1) }
    }
}

/// Objects that refer to each other go with their context. Serialized, for they count all objects.
@Suite(.serialized) struct LifetimeTests {
    private func fill(_ context: NSManagedObjectContext) throws {
        let country = context.make("Country", ["name": "CH"])
        for index in 0..<5 { context.make("Airport", ["name": "a\(index)", "country": country]) }
    }

    /// Loads both ends of all relationships.
    private func load(_ context: NSManagedObjectContext) throws {
        for country in try context.all("Country") {
            for airport in country.set("airports") { #expect(airport.one("country") === country) }
        }
    }

    /// They leave the context with what they were related to, in changes that nobody saves any more.
    @Test(arguments: StoreKind.allCases)
    func objectsThatOthersHaveDeletedGoAfterARollback(kind: StoreKind) throws {
        try withStack(kind, model: Counted.model()) { stack in
            try autoreleased {
                let context = stack.makeContext(), other = stack.makeContext()
                try context.onQueue {
                    context.make("Country", ["name": "CH"])
                    context.make("Airport", ["name": "a"])
                    try context.save()
                    let country = try context.all("Country").first
                    try context.all("Airport").first?.setValue(country, forKey: "country")
                }
                let notification = try didSave(of: other) { other in
                    for entity in ["Country", "Airport"] {
                        for object in try other.all(entity) { other.delete(object) }
                    }
                }
                context.onQueue {
                    context.mergeChanges(fromContextDidSave: notification)
                    context.rollback()
                }
            }
            #expect(Counted.alive.value == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsGoWithTheirContext(kind: StoreKind) throws {
        try withStack(kind, model: Counted.model()) { stack in
            try autoreleased {
                let context = stack.makeContext()
                try context.onQueue {
                    try fill(context)
                    try context.save()
                    try load(context)
                    #expect(Counted.alive.value == 6)
                }
            }
            #expect(Counted.alive.value == 0)
            try autoreleased {
                let context = stack.makeContext()
                try context.onQueue {
                    try load(context)
                    try fill(context)
                    try context.all("Airport").first?.setValue("x", forKey: "name")
                    context.delete(try #require(try context.all("Airport").last))
                }
            }
            #expect(Counted.alive.value == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsGoWithAReset(kind: StoreKind) throws {
        try withStack(kind, model: Counted.model()) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                try fill(context)
                try context.save()
                try load(context)
                try fill(context)
                context.reset()
                #expect(Counted.alive.value == 0)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func insertedObjectsGoWithARollback(kind: StoreKind) throws {
        try withStack(kind, model: Counted.model()) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                try fill(context)
                context.rollback()
                #expect(Counted.alive.value == 0)
                try fill(context)
                for country in context.insertedObjects { context.delete(country) }
                context.processPendingChanges()
                #expect(Counted.alive.value == 0)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func deletedObjectsGoWithTheSave(kind: StoreKind) throws {
        try withStack(kind, model: Counted.model()) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                try fill(context)
                try context.save()
                try load(context)
                for country in try context.all("Country") { context.delete(country) }
                try context.save()
                #expect(Counted.alive.value == 0)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func throwawayContextsLeaveNothing(kind: StoreKind) throws {
        try withStack(kind, model: Counted.model()) { stack in
            let main = stack.makeContext()
            for _ in 0..<1_000 {
                weak var weakContext: NSManagedObjectContext?
                try autoreleased {
                    let context = stack.makeContext()
                    weakContext = context
                    let saved = try didSave(of: context) { context in
                        let country =
                            try context.all("Country").first
                            ?? context.make("Country", ["name": "CH"])
                        for airport in country.set("airports") { context.delete(airport) }
                        context.make("Airport", ["name": "a", "country": country])
                    }
                    main.onQueue { main.mergeChanges(fromContextDidSave: saved) }
                }
                #expect(weakContext == nil)
            }
            try main.onQueue {
                try main.save()
                main.reset()
            }
            #expect(Counted.alive.value == 0)
        }
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }
}
