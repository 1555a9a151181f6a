import CoreData
import ManagedAccessorsFixture
import TestSupport

/// A model whose entities are of the fixture's classes, named in all the ways that models do.
enum LibraryModel {
    static func make() -> NSManagedObjectModel {
        let author = entity("Author", Author.self, authorAttributes)
        let book = entity(
            "Book",
            className: "Book",
            [attribute("name", .string), attribute("pages", .integer32)]
        )
        let novel = entity(
            "Novel",
            className: "ManagedAccessorsFixture.Novel",
            [attribute("genre", .string), attribute("year", .integer16)]
        )
        book.subentities = [novel]
        let chapter = entity("Chapter", className: "Chapter", [attribute("heading", .string)])
        let agent = entity("Agent", Agency.Agent.self, [attribute("name", .string)])
        let office = entity(
            "Office",
            className: "Office",
            [attribute("city", .string), attribute("floor", .integer16)]
        )
        let loan = entity(
            "Loan",
            className: "Loan",
            [attribute("note", .string), attribute("days", .integer16)]
        )
        let page = entity("Page", Page.self, [attribute("number", .integer64)])
        relate(author, "books", many: true, book, "author")
        relate(book, "owner", author, "owned", manyBack: true)
        relate(book, "chapters", many: true, chapter, "book", ordered: true)
        relate(agent, "authors", many: true, author, "agent")
        relate(loan, "recordOwner", author, "loans", manyBack: true)
        relate(loan, "owners", many: true, author, "ownedLoans", manyBack: true)
        relate(page, "next", page, "previous")
        relate(page, "notes", many: true, page, "noted")
        let model = NSManagedObjectModel()
        model.entities = [author, book, novel, chapter, agent, office, loan, page]
        return model
    }

    private static var authorAttributes: [NSAttributeDescription] {
        [
            attribute("name", .string), attribute("title", .string), attribute("small", .integer16),
            attribute("middle", .integer32), attribute("large", .integer64),
            attribute("count", .integer64), attribute("isActive", .boolean),
            attribute("ratio", .double), attribute("weight", .float), attribute("born", .date),
            attribute("died", .date), attribute("registered", .date), attribute("stamp", .date),
            attribute("photo", .binaryData), attribute("identifier", .uuid),
            attribute("homepage", .uri), attribute("balance", .decimal),
            attribute("price", .decimal), attribute("boxed", .double),
            attribute("nicknames", .transformable), attribute("settings", .transformable),
            attribute("thing", .transformable), attribute("unwrapped", .string),
            attribute("mood", .integer16), attribute("rank", .string),
            attribute("readOnly", .integer16), attribute("secret", .string),
            attribute("old", .string), attribute("default", .string),
        ]
    }

    static func attribute(
        _ name: String,
        _ type: NSAttributeDescription.AttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = true
        return attribute
    }

    static func entity(
        _ name: String,
        _ type: NSManagedObject.Type,
        _ properties: [NSPropertyDescription]
    ) -> NSEntityDescription {
        entity(name, className: NSStringFromClass(type), properties)
    }

    static func entity(
        _ name: String,
        className: String,
        _ properties: [NSPropertyDescription]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = className
        entity.properties = properties
        return entity
    }

    static func relate(
        _ source: NSEntityDescription,
        _ name: String,
        many: Bool = false,
        _ destination: NSEntityDescription,
        _ inverseName: String,
        manyBack: Bool = false,
        ordered: Bool = false
    ) {
        let forward = NSRelationshipDescription(), back = NSRelationshipDescription()
        for (relationship, name, end, isMany) in [
            (forward, name, destination, many), (back, inverseName, source, manyBack),
        ] {
            relationship.name = name
            relationship.destinationEntity = end
            relationship.minCount = 0
            relationship.maxCount = isMany ? 0 : 1
            relationship.isOptional = true
        }
        forward.isOrdered = ordered
        forward.inverseRelationship = back
        back.inverseRelationship = forward
        source.properties += [forward]
        destination.properties += [back]
    }
}

/// A class that only this target has.
final class Page: NSManagedObject {
    @NSManaged var number: Int
    @NSManaged var next: Page?
    @NSManaged var notes: Set<Page>
}

/// A class of this target beneath one of a library.
final class TestAuthor: Author {
    @NSManaged var extra: String?
}

extension Author {
    /// An accessor that another module adds.
    @NSManaged var owned: Set<Book>
}

/// A context over a new store.
func makeContext(_ kind: StoreKind) throws -> (stack: TestStack, context: NSManagedObjectContext) {
    let stack = try TestStack(kind, model: LibraryModel.make())
    return (stack, stack.makeContext())
}
