import Foundation
import Testing

@testable import CoreData

/// Books that count their pages.
enum CountedBooks {
    static func model() -> NSManagedObjectModel {
        let count = NSDerivedAttributeDescription()
        count.name = "pagesCount"
        count.attributeType = .integer64AttributeType
        count.derivationExpression = NSExpression(forKeyPath: "pages.@count")
        let book = StoreModel.entity("Book", [count])
        let novel = StoreModel.entity("GraphicNovel", [])
        book.subentities = [novel]
        let page = StoreModel.entity("Page", [])
        StoreModel.relate(book, "pages", true, page, "book", false)
        let model = NSManagedObjectModel()
        model.entities = [book, novel, page]
        return model
    }
}

@Suite struct DerivedCountTests {
    @Test func countsFollowTheirRelationship() throws {
        let fixture = try StoreFixture(model: CountedBooks.model())
        let books = try fixture.insert("Book", [[:], [:]])
        let slot = try fixture.slot("Book", "pagesCount").index
        let layout = try fixture.layout("Book")
        func counts() throws -> [Int64] {
            try books.map { book in
                let row = try #require(try fixture.store.row(layout, book.primaryKey))
                return row.integer(slot)
            }
        }
        #expect(try counts() == [0, 0])
        let pages = try fixture.insert(
            "Page",
            (0..<3).map { _ in ["book": .reference(books[0].reference)] }
        )
        #expect(try counts() == [3, 0])
        var changes = StoreChangeSet()
        changes.updates = [try fixture.update(pages[0], ["book": .reference(books[1].reference)])]
        changes.deletes = [.init(reference: pages[1].reference, version: 1)]
        try fixture.store.write(changes)
        #expect(try counts() == [1, 1])
    }
}
