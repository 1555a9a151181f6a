import CoreData
import TestSupport
import Testing

/// Conflicts over objects whose partner in a one-to-one relationship was changed here.
@Suite struct OneToOneConflictTests {
    /// A person was given the desk here, and another context has saved something else of the person.
    private func withConflict(
        _ kind: StoreKind,
        _ policy: NSMergePolicy,
        theirs: (NSManagedObjectContext) throws -> Void,
        _ body: (_ person: NSManagedObject, _ desk: NSManagedObject) throws -> Void
    ) throws {
        try withStack(kind, model: UnmergedPartnerTests.model()) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            context.mergePolicy = policy
            try context.onQueue {
                let person = context.make("Person", ["name": "p"])
                let desk = context.make("Desk", ["number": 1])
                context.make("Desk", ["number": 2])
                try context.save()
                #expect(person.one("desk") == nil && desk.one("person") == nil)
                person.setValue(desk, forKey: "desk")
                try other.onQueue {
                    try theirs(other)
                    try other.save()
                }
                try body(person, desk)
                #expect(!context.hasChanges)
            }
        }
    }

    /// The store has given the person another desk.
    @Test(arguments: StoreKind.allCases)
    func aPartnerThatTheStoreTrumpsLetsGo(kind: StoreKind) throws {
        try withConflict(kind, .mergeByPropertyStoreTrump) { other in
            let desk = try other.all("Desk", sortedBy: "number")[1]
            try other.only("Person").setValue(desk, forKey: "desk")
        } _: { person, desk in
            try person.managedObjectContext?.save()
            #expect(person.one("desk")?.integer("number") == 2)
            #expect(desk.one("person") == nil)
        }
    }

    /// The deletion is saved although the store has another version of the row.
    @Test(arguments: StoreKind.allCases)
    func aPartnerOfADeletedObjectIsFree(kind: StoreKind) throws {
        try withConflict(kind, .mergeByPropertyObjectTrump) { other in
            try other.only("Person").setValue("renamed", forKey: "name")
        } _: { person, desk in
            let context = try #require(person.managedObjectContext)
            context.delete(person)
            try context.save()
            #expect(desk.one("person") == nil)
            context.reset()
            #expect(try context.number("Person") == 0)
            let owners = try context.all("Desk").compactMap { $0.one("person") }
            #expect(owners.isEmpty)
        }
    }
}
