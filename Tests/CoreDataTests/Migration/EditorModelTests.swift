import Foundation
import Testing

@testable import CoreData

/// The copies of models that sources of mapping models keep.
@Suite struct EditorModelTests {
    /// A model with all that hashes and mappings go by, and a fetched property, which they don't.
    private static func library() -> NSManagedObjectModel {
        let book = makeEntity(
            "Book",
            [
                makeAttribute("isbn"), makeAttribute("title"),
                makeAttribute("pages", .integer32AttributeType, optional: false),
                makeAttribute("cover", .binaryDataAttributeType), makeAttribute("shown"),
            ]
        )
        book.attributesByName["cover"]?.allowsExternalBinaryDataStorage = true
        book.attributesByName["shown"]?.isTransient = true
        book.attributesByName["title"]?.renamingIdentifier = "name"
        book.attributesByName["title"]?.versionHashModifier = "2"
        book.uniquenessConstraints = [["isbn"], ["title", "pages"]]
        book.versionHashModifier = "b"
        book.renamingIdentifier = "Volume"
        let comic = makeEntity("Comic", parent: book, [makeAttribute("artist")])
        let shelf = makeEntity("Shelf", [makeAttribute("name")])
        shelf.isAbstract = true
        shelf.versionHashModifier = ""
        let books = makeRelationship("books", to: book, many: true)
        books.isOrdered = true
        books.maxCount = 40
        let owner = makeRelationship("shelf", to: shelf)
        connect(books, owner)
        let twins = NSFetchedPropertyDescription()
        twins.name = "twins"
        shelf.properties += [books, twins]
        book.properties.append(owner)
        book.properties.append(makeRelationship("sequels", to: book, many: true))
        return makeModel([book, comic, shelf])
    }

    private func read(_ data: Data) throws -> NSManagedObjectModel {
        try EditorModelReader.model(try KeyedArchive(data))
    }

    @Test(arguments: EditorArchive.Style.allCases)
    func aCopyIsOfTheVersionOfItsModel(style: EditorArchive.Style) throws {
        let model = Self.library()
        let copy = try read(EditorArchive.data(model, style: style))
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        let book = try #require(copy.entitiesByName["Book"])
        #expect(book.uniquenessConstraints as? [[String]] == [["isbn"], ["title", "pages"]])
        #expect(book.renamingIdentifier == "Volume")
        #expect(book.attributesByName["title"]?.renamingIdentifier == "name")
        #expect(book.attributesByName["shown"]?.isTransient == true)
        #expect(book.relationshipsByName["shelf"]?.inverseRelationship?.name == "books")
        #expect(copy.entitiesByName["Comic"]?.superentity === book)
        #expect(copy.entitiesByName["Shelf"]?.propertiesByName["twins"] == nil)
    }

    /// Lists that name nothing constrain nothing.
    @Test func emptyConstraintsAreLeftOut() throws {
        let model = makeModel([makeEntity("Book", [makeAttribute("isbn")])])
        let copy = try read(
            EditorArchive.data(model) { builder in
                [
                    builder.string("isbn"), builder.array([]),
                    builder.array([KeyedArchiveBuilder.null, builder.string("isbn")]),
                ]
            }
        )
        let constraints = copy.entitiesByName["Book"]?.uniquenessConstraints
        #expect(constraints as? [[String]] == [["isbn"]])
    }

    @Test func copiesOfNoModelAreRefused() throws {
        let builder = KeyedArchiveBuilder()
        let other = builder.data(root: builder.object(["XDModelPackage"], [:]))
        // An entity of its parent's name, which the copy takes for the entity itself.
        let parent = makeEntity("Book")
        let circle = makeModel([makeEntity("Book", parent: parent)])
        let book = makeModel([makeEntity("Book", [makeAttribute("isbn")])])
        let unknown = EditorArchive.data(book) { [$0.array([$0.string("none")])] }
        for (data, message) in [
            (other, "the copy of a model is of an unknown form"),
            (withExtendedLifetime(parent) { EditorArchive.data(circle) }, "inherits from itself"),
            (unknown, "none"),
        ] {
            let error = #expect(throws: ArchiveError.self) { try read(data) }
            #expect(error?.reason.contains(message) == true, "\(error?.reason ?? "")")
        }
    }
}
