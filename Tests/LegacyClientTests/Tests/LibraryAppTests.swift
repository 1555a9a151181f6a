import CoreData
import XCTest

/// The app does the same with both stacks.
class LibraryAppTests: LibraryTestCase {
    func testListFollowsImports() throws {
        try withBothStacks { stack in
            let list = BookListController(context: stack.mainContext)
            XCTAssertEqual(list.rows, [])
            importCatalog(Self.catalog, into: stack)
            let first = [["Emma", "Evelina"], ["Middlemarch"], ["Persuasion"]]
            waitUntil { list.rows == first }

            importCatalog(
                [
                    ["isbn": "1", "title": "Yellow Emma"], ["isbn": "4", "pages": 460],
                    ["isbn": "5", "title": "adam bede", "author": "George Eliot"],
                ],
                into: stack
            )
            let second = [
                ["adam bede"], ["Evelina"], ["Middlemarch"], ["Persuasion"], ["Yellow Emma"],
            ]
            waitUntil { list.rows == second }
            XCTAssertEqual(list.currentRows, second)
            XCTAssertEqual(try books(stack).count, 5)
            XCTAssertEqual(list.book(at: IndexPath(indexes: [1, 0])).pages, 460)
        }
    }

    func testDeletingInTheList() throws {
        try withBothStacks { stack in
            importCatalog(Self.catalog, into: stack)
            waitUntil { (try? books(stack).count) == 4 }
            let list = BookListController(
                context: stack.mainContext,
                predicate: NSPredicate(format: "author.name CONTAINS[cd] %@", "austen")
            )
            XCTAssertEqual(list.rows, [["Emma"], ["Persuasion"]])
            list.delete(at: IndexPath(indexes: [0, 0]))
            stack.saveMainContext()
            XCTAssertEqual(list.rows, [["Persuasion"]])
            let context = stack.newBackgroundContext()
            XCTAssertEqual(try context.count(for: NSFetchRequest<Book>(entityName: "Book")), 3)
        }
    }

    func testAuthorsAreFoundWhateverTheirCase() throws {
        try withBothStacks { stack in
            importCatalog(Self.catalog, into: stack)
            let request: NSFetchRequest<Author> = Author.fetchRequest()
            request.predicate = NSPredicate(format: "books.@count > 1")
            waitUntil { (try? stack.mainContext.fetch(request).count) == 1 }
            let author = try XCTUnwrap(stack.mainContext.fetch(request).first)
            XCTAssertEqual(author.name, "Jane Austen")
            XCTAssertEqual(author.averageRating, 4.25)
            let titles = author.books?.value(forKey: "title") as? Set<String>
            XCTAssertEqual(titles, ["Emma", "Persuasion"])
            let all = try books(stack) as NSArray
            XCTAssertEqual(all.value(forKeyPath: "@sum.pages") as? Int, 2058)
            XCTAssertEqual(all.value(forKeyPath: "@max.author.name") as? String, "Jane Austen")
        }
    }

    func testSearching() throws {
        try withBothStacks { stack in
            importCatalog(Self.catalog, into: stack)
            waitUntil { (try? books(stack).count) == 4 }
            let shelf = Shelf(context: stack.mainContext)
            shelf.name = "Long"
            shelf.addToBooks(
                NSOrderedSet(array: try books(stack, NSPredicate(format: "pages > 450")))
            )
            stack.saveMainContext()
            func titles(_ predicate: NSPredicate) throws -> [String] {
                try books(stack, predicate).map { $0.title }
            }
            XCTAssertEqual(
                try titles(NSPredicate(format: "ANY shelves.name == %@ AND rating != nil", "Long")),
                ["Emma", "Middlemarch"]
            )
            XCTAssertEqual(
                try titles(
                    NSPredicate(format: "title BEGINSWITH[c] 'e' AND pages BETWEEN {400, 460}")
                ),
                ["Evelina"]
            )
            XCTAssertEqual(
                try titles(
                    NSPredicate(format: "SUBQUERY(author.books, $b, $b.pages < 300).@count > 0")
                ),
                ["Emma", "Persuasion"]
            )
            XCTAssertEqual(
                try titles(NSPredicate(format: "isbn IN %@", ["3", "4"])),
                ["Evelina", "Middlemarch"]
            )
        }
    }

    func testShelvesKeepTheirOrder() throws {
        try withBothStacks { stack in
            importCatalog(Self.catalog, into: stack)
            waitUntil { (try? books(stack).count) == 4 }
            let all = try books(stack)
            let shelf = Shelf(context: stack.mainContext)
            shelf.name = "Window"
            shelf.insertIntoBooks(
                [all[0], all[2]],
                at: NSIndexSet(indexesIn: NSRange(location: 0, length: 2))
            )
            shelf.insertIntoBooks(all[3], at: 1)
            shelf.replaceBooks(at: 0, with: all[1])
            shelf.removeFromBooks(at: 2)
            stack.saveMainContext()
            let context = stack.newBackgroundContext()
            let stored = try XCTUnwrap(context.existingObject(with: shelf.objectID) as? Shelf)
            let titles = stored.books?.array.map { ($0 as? Book)?.title }
            XCTAssertEqual(titles, [all[3].title, all[1].title].reversed())
            XCTAssertEqual(all[1].shelves, [shelf])
            XCTAssertEqual(all[2].shelves, [])
        }
    }

    func testEditing() throws {
        try withBothStacks { stack in
            importCatalog(Self.catalog, into: stack)
            waitUntil { (try? books(stack).count) == 4 }
            let list = BookListController(context: stack.mainContext)
            let emma = try XCTUnwrap(books(stack).first)

            let cancelled = try BookEditor(stack: stack, bookID: emma.objectID)
            cancelled.book.title = "Enema"
            cancelled.cancel()
            XCTAssertEqual(emma.title, "Emma")
            XCTAssertFalse(stack.mainContext.hasChanges)

            let saved = try BookEditor(stack: stack, bookID: emma.objectID)
            saved.book.title = "Emma, annotated"
            endEvent()
            saved.book.isRead = true
            endEvent()
            saved.undo()
            try saved.save()
            XCTAssertEqual(emma.title, "Emma, annotated")
            XCTAssertFalse(emma.isRead)
            XCTAssertEqual(list.rows.first, ["Emma, annotated", "Evelina"])

            let added = try BookEditor(stack: stack)
            added.book.title = "Zoo"
            try added.save()
            XCTAssertEqual(list.rows.last, ["Zoo"])
            XCTAssertNotNil(try books(stack).last?.added)

            let invalid = try BookEditor(stack: stack)
            invalid.book.title = "Less than nothing"
            invalid.book.pages = -1
            XCTAssertThrowsError(try invalid.save()) { error in
                XCTAssertEqual((error as NSError).domain, "Library")
            }
        }
    }
}
