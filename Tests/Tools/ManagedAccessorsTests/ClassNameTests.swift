import CoreData
import ManagedAccessorsFixture
import TestSupport
import Testing

/// Classes that only this file sees.
private class Hidden: NSManagedObject {
    @NSManaged var title: String
    @NSManaged var friend: Hidden?
    @NSManaged var friends: Set<Hidden>
    @NSManaged fileprivate var note: String?
    @NSManaged func addToFriends(_ value: Hidden)

    static func entity(_ name: String) -> NSEntityDescription {
        let entity = LibraryModel.entity(
            name,
            Hidden.self,
            [
                LibraryModel.attribute("title", .string), LibraryModel.attribute("note", .string),
            ]
        )
        LibraryModel.relate(entity, "friends", many: true, entity, "friend")
        return entity
    }
}

private enum Namespace {
    final class Inner: NSManagedObject {
        @NSManaged var number: Int16
    }
}

#if canImport(ObjectiveC)
@objc(MARenamedNote)
#endif
final class RenamedNote: NSManagedObject {
    @NSManaged var title: String?
}

@Suite struct ClassNameTests {
    /// Code of old names entities by the class's name in Objective-C.
    @Test func classesHaveTheirNameInObjectiveC() throws {
        #expect(NSStringFromClass(RenamedNote.self) == "MARenamedNote")
        let plain: NSManagedObject.Type = RenamedNote.self
        #expect(NSStringFromClass(plain) == "MARenamedNote")
        #expect(NSStringFromClass(Hidden.self).contains("."))
        #expect(NSClassFromString("MARenamedNote") == RenamedNote.self)
        #expect(NSClassFromString("ManagedAccessorsTests.RenamedNote") == RenamedNote.self)
        #expect(NSClassFromString("RenamedNote") == nil)
        let title = LibraryModel.attribute("title", .string)
        let model = NSManagedObjectModel()
        model.entities = [LibraryModel.entity("Note", className: "MARenamedNote", [title])]
        let className = try #require(model.entities[0].managedObjectClassName)
        #expect(className == NSStringFromClass(RenamedNote.self))
        #expect(NSClassFromString(className) == RenamedNote.self)
        let stack = try TestStack(.inMemory, model: model)
        let context = stack.makeContext()
        context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            #expect(note is RenamedNote)
        }
    }

    /// The model names classes with their module, without it, and inner ones by their last name.
    @Test(arguments: StoreKind.large)
    func modelsFindClassesOfAnyModule(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        context.performAndWait {
            func object(_ name: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            }
            #expect(type(of: object("Author")) == Author.self)
            #expect(type(of: object("Book")) == Book.self)
            #expect(type(of: object("Novel")) == Novel.self)
            #expect(type(of: object("Agent")) == Agency.Agent.self)
            #expect(type(of: object("Office")) == Agency.Office.self)
            #expect(type(of: object("Loan")) == Loan.self)
            #expect(type(of: object("Page")) == Page.self)
        }
        withExtendedLifetime(stack) {}
    }

    @Test(arguments: ["Author", ".Author", "ManagedAccessorsFixture.Author"])
    func theNameOfAnEntitysClassFindsTheClass(name: String) throws {
        let author = LibraryModel.entity("Author", className: name, [])
        let model = NSManagedObjectModel()
        // Which module is meant shows the class that only one of them has.
        model.entities = [
            author, LibraryModel.entity("Loan", className: "Loan", []), NSEntityDescription(),
        ]
        #expect(author.managedObjectClassName == NSStringFromClass(Author.self))
        #expect(NSClassFromString(try #require(author.managedObjectClassName)) == Author.self)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model)
        let copied = copy.entitiesByName["Author"]?.managedObjectClassName
        #expect(copied == author.managedObjectClassName)
        let nameless = LibraryModel.entity("Thing", className: ".NoSuchClass", [])
        #expect(nameless.managedObjectClassName == ".NoSuchClass")
    }

    @Test(arguments: [
        "NoSuchClass", ".NoSuchClass", "NoSuchModule.NoSuchClass", "A.B.NoSuchClass", "_TtC1A1B",
    ])
    func aNameThatNoClassHasGivesPlainObjects(name: String) throws {
        let model = NSManagedObjectModel()
        model.entities = [LibraryModel.entity("Thing", className: name, [])]
        let stack = try TestStack(.inMemory, model: model)
        let context = stack.makeContext()
        context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            #expect(type(of: object) == NSManagedObject.self)
        }
    }

    @Test(arguments: StoreKind.large)
    func privateClassesWork(in kind: StoreKind) throws {
        let model = NSManagedObjectModel()
        let inner = LibraryModel.entity(
            "Inner",
            Namespace.Inner.self,
            [LibraryModel.attribute("number", .integer16)]
        )
        model.entities = [Hidden.entity("Hidden"), inner]
        let stack = try TestStack(kind, model: model)
        let context = stack.makeContext()
        try context.performAndWait {
            let first = Hidden(context: context), second = Hidden(context: context)
            first.title = "a"
            first.note = "n"
            first.friend = second
            second.addToFriends(first)
            second.friends.insert(second)
            let inner = Namespace.Inner(context: context)
            inner.number = 9
            try context.save()
            context.refreshAllObjects()
            #expect(first.title == "a" && first.note == "n")
            #expect(first.friend === second)
            #expect(second.friends == [first, second])
            #expect(inner.number == 9)
            let found = try context.fetch(NSFetchRequest<Hidden>(entityName: "Hidden"))
            #expect(Set(found) == [first, second])
        }
        withExtendedLifetime(stack) {}
    }

    /// The full name of such a class differs from build to build, and is no name to keep.
    @Test func aPrivateClassKeepsTheNameThatItsEntityGives() {
        let hidden = LibraryModel.entity("Hidden", className: "Hidden", [])
        #expect(hidden.managedObjectClassName == "Hidden")
    }

    @Test func privateClassesHaveKeyPaths() {
        #expect(NSSortDescriptor(keyPath: \Hidden.title, ascending: true).key == "title")
    }
}
