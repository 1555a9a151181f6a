import CoreData
import ManagedAccessorsFixture
import Synchronization
import TestSupport
import Testing

/// Objects of classes without initializers are made many at a time; others one by one, by theirs.
@Suite struct FetchedObjectTests {
    private static let count = 300

    private static let kinds: [NSManagedObject.Type] = [
        Ship.self, Ferry.self, Tug.self, Barge.self, NSManagedObject.self,
    ]

    private func makeStack(_ kind: StoreKind) throws -> TestStack {
        let ship = LibraryModel.entity(
            "Ship",
            Ship.self,
            [LibraryModel.attribute("number", .integer64), LibraryModel.attribute("name", .string)]
        )
        let others = Self.kinds.dropFirst().enumerated().map { index, type in
            LibraryModel.entity("Kind\(index)", type, [])
        }
        ship.subentities = others
        let model = NSManagedObjectModel()
        model.entities = [ship] + others
        let stack = try TestStack(kind, model: model)
        let context = stack.makeContext()
        try context.performAndWait {
            for number in 0..<Self.count {
                let index = number / 7 % Self.kinds.count
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: index == 0 ? "Ship" : "Kind\(index - 1)",
                    into: context
                )
                object.setValue(number, forKey: "number")
                object.setValue("name \(number)", forKey: "name")
            }
            try context.save()
        }
        return stack
    }

    private func sorted() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Ship")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return request
    }

    @Test(arguments: StoreKind.large)
    func objectsOfAllClassesComeInOrder(in kind: StoreKind) throws {
        let stack = try makeStack(kind)
        let context = stack.makeContext()
        try context.performAndWait {
            let objects = try context.fetch(sorted())
            #expect(objects.map { $0.value(forKey: "number") as? Int } == Array(0..<Self.count))
            let names = objects.map { $0.value(forKey: "name") as? String }
            #expect(names == (0..<Self.count).map { "name \($0)" })
            for (number, object) in objects.enumerated() {
                #expect(type(of: object) == Self.kinds[number / 7 % Self.kinds.count])
            }
            // A context holds its unchanged objects weakly: somebody else has to hold these.
            withExtendedLifetime(objects) {
                #expect(context.registeredObjects.count == Self.count)
            }
        }
    }

    @Test(arguments: StoreKind.large)
    func propertiesOfTheClassHaveTheirFirstValues(in kind: StoreKind) throws {
        let stack = try makeStack(kind)
        let context = stack.makeContext()
        try context.performAndWait {
            let objects = try context.fetch(sorted())
            #expect(objects.compactMap { $0 as? Tug }.allSatisfy { $0.ropes == ["short", "long"] })
            let barges = objects.compactMap { $0 as? Barge }
            #expect(!barges.isEmpty && barges.allSatisfy { $0.initializerCount == 1 })
        }
    }

    @Test(arguments: StoreKind.large)
    func objectsEndWithTheirDeinit(in kind: StoreKind) throws {
        let stack = try makeStack(kind)
        let before = Ferry.endedCount.load(ordering: .relaxed)
        let context = stack.makeContext()
        let count = try context.performAndWait {
            try context.fetch(sorted()).count { $0 is Ferry }
        }
        let ended = Ferry.endedCount.load(ordering: .relaxed) - before
        // Those of other tests may end meanwhile.
        #expect(count > 0 && ended >= count)
    }

    @Test(arguments: StoreKind.large)
    func registeredObjectsStayTheOnesForTheirRows(in kind: StoreKind) throws {
        let stack = try makeStack(kind)
        let context = stack.makeContext()
        try context.performAndWait {
            let request = sorted()
            request.predicate = NSPredicate(format: "modulus:by:(number, 3) == 0")
            let some = try context.fetch(request)
            some[10].setValue("changed", forKey: "name")
            request.predicate = nil
            let all = try context.fetch(request)
            #expect(all.count == Self.count)
            #expect(zip(some, stride(from: 0, to: Self.count, by: 3)).allSatisfy { $0 === all[$1] })
            #expect(all[30].value(forKey: "name") as? String == "changed")
            #expect(Set(all).count == Self.count)
            #expect(zip(all, try context.fetch(request)).allSatisfy { $0 === $1 })
        }
    }

    @Test func membersOfARelationshipAreMadeManyAtATime() throws {
        let (stack, context) = try makeContext(.sqlite)
        try context.performAndWait {
            for name in ["a", "b"] {
                let author = Author(context: context)
                author.name = name
                for page in 0..<200 {
                    let book = Book(context: context)
                    book.pages = Int32(page)
                    book.author = author
                }
            }
            try context.save()
        }
        let reader = stack.makeContext()
        try reader.performAndWait {
            let request = NSFetchRequest<Author>(entityName: "Author")
            for author in try reader.fetch(request) {
                let books = author.books ?? []
                #expect(Set(books.map(\.pages)) == Set(0..<200))
                #expect(books.allSatisfy { $0.author === author })
            }
        }
    }
}

class Ship: NSManagedObject {
    @NSManaged var number: Int64
    @NSManaged var name: String?
}

final class Ferry: Ship {
    static let endedCount = Atomic<Int>(0)
    deinit { Self.endedCount.add(1, ordering: .relaxed) }
}

final class Tug: Ship {
    var ropes = ["short", "long"]
}

final class Barge: Ship {
    private(set) var initializerCount = 0

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        initializerCount += 1
    }
}
