import CoreData
import ManagedAccessorsFixture
import TestSupport
import Testing

@Suite struct KeyPathNameTests {
    /// No model is loaded: sort descriptors are often made before one is.
    @Test func keyPathsToManagedPropertiesHaveNames() {
        #expect(NSSortDescriptor(keyPath: \Author.name, ascending: true).key == "name")
        #expect(NSSortDescriptor(keyPath: \Author.large, ascending: false).key == "large")
        #expect(NSSortDescriptor(keyPath: \Author.registered, ascending: true).key == "registered")
        #expect(NSSortDescriptor(keyPath: \Author.mood, ascending: true).key == "mood")
        #expect(NSSortDescriptor(keyPath: \Author.default, ascending: true).key == "default")
        #expect(NSSortDescriptor(keyPath: \Page.number, ascending: true).key == "number")
        #expect(NSExpression(forKeyPath: \Author.books).keyPath == "books")
    }

    @Test func inheritedPropertiesHaveNames() {
        #expect(NSSortDescriptor(keyPath: \TestAuthor.name, ascending: true).key == "name")
        #expect(NSSortDescriptor(keyPath: \TestAuthor.extra, ascending: true).key == "extra")
        #expect(NSSortDescriptor(keyPath: \Loan.note, ascending: true).key == "note")
    }

    @Test func pathsOverRelationshipsHaveNames() {
        #expect(
            NSSortDescriptor(keyPath: \Book.author?.agent?.name, ascending: true).key
                == "author.agent.name"
        )
        #expect(NSExpression(forKeyPath: \Book.owner.name).keyPath == "owner.name")
    }

    @Test func accessorsWrittenByHandHaveNames() {
        #expect(NSSortDescriptor(keyPath: \Novel.name, ascending: true).key == "name")
    }

    /// The object that the path is followed on is made by the class's own initializer.
    @Test func initializersMaySetValues() {
        #expect(NSSortDescriptor(keyPath: \SetUp.number, ascending: true).key == "number")
    }

    @Test func aPropertyThatStandsOnOthersHasItsOwn() {
        #expect(NSSortDescriptor(keyPath: \Author.fullName, ascending: true).key == "fullName")
    }

    @Test(arguments: StoreKind.large)
    func fetchesAreSortedByKeyPath(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        try context.performAndWait {
            for (index, name) in ["b", "c", "a"].enumerated() {
                let author = Author(context: context)
                author.name = name
                let book = Book(context: context)
                book.pages = Int32(index)
                book.author = author
            }
            try context.save()
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.sortDescriptors = [
                NSSortDescriptor(keyPath: \Book.author?.name, ascending: true)
            ]
            request.predicate = NSPredicate(format: "%K >= 1", "pages")
            #expect(try context.fetch(request).map(\.pages) == [2, 1])
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.pages, ascending: true)]
            #expect(try context.fetch(request).map(\.pages) == [1, 2])
        }
        withExtendedLifetime(stack) {}
    }
}

final class SetUp: NSManagedObject {
    @NSManaged var number: Int

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        number = 1
        setPrimitiveValue(2, forKey: "number")
    }
}

extension Author {
    var fullName: String { title + (name ?? "") }
}
