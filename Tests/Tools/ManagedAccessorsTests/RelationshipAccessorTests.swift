import CoreData
import ManagedAccessorsFixture
import TestSupport
import Testing

@Suite struct RelationshipAccessorTests {
    @Test(arguments: StoreKind.large)
    func bothEndsOfARelationshipFollowEachOther(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        try context.performAndWait {
            let author = Author(context: context)
            let books = (0..<3).map { _ in Book(context: context) }
            books[0].author = author
            #expect(author.books == [books[0]])
            author.books?.insert(books[1])
            #expect(books[1].author === author)
            author.addToBooks(books[2])
            #expect(author.books?.count == 3)
            author.removeFromBooks(NSSet(array: [books[0], books[1]]))
            #expect(books[0].author == nil)
            author.addToBooks(NSSet(array: [books[0]]))
            author.attach(books[1])
            author.removeFromBooks(books[2])
            #expect(author.books == [books[0], books[1]])
            author.owned = [books[2]]
            #expect(books[2].owner === author)
            try context.save()
            context.refreshAllObjects()
            #expect(author.books == [books[0], books[1]])
            #expect(author.books == [books[0], books[1]])
            author.books = nil
            #expect(books.allSatisfy { $0.author == nil })
        }
        withExtendedLifetime(stack) {}
    }

    @Test(arguments: StoreKind.large)
    func orderedRelationshipsHaveTheirFunctions(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        try context.performAndWait {
            let book = Book(context: context)
            let chapters = (0..<6).map { index in
                let chapter = Chapter(context: context)
                chapter.heading = "\(index)"
                return chapter
            }
            func headings() -> String {
                (book.chapters?.array as? [Chapter] ?? []).compactMap(\.heading).joined()
            }
            book.addToChapters(NSOrderedSet(array: [chapters[0], chapters[1]]))
            book.insertIntoChapters(chapters[2], at: 1)
            #expect(headings() == "021")
            book.insertIntoChapters(
                [chapters[3], chapters[4]],
                at: NSIndexSet(indexesIn: NSRange(0..<2))
            )
            #expect(headings() == "34021")
            book.replaceChapters(at: 1, with: chapters[5])
            #expect(headings() == "35021")
            book.removeFromChapters(at: 0)
            #expect(headings() == "5021")
            book.removeFromChapters(at: NSIndexSet(indexesIn: NSRange(1..<3)))
            #expect(headings() == "51")
            book.replaceChapters(at: NSIndexSet(index: 0), with: [chapters[0]])
            #expect(headings() == "01")
            book.addToChapters(chapters[4])
            book.removeFromChapters(chapters[1])
            book.removeFromChapters(NSOrderedSet(array: [chapters[0]]))
            #expect(headings() == "4")
            #expect(book.countOfChapters() == 1)
            #expect(chapters[4].book === book)
            try context.save()
            context.refreshAllObjects()
            #expect(headings() == "4")
        }
        withExtendedLifetime(stack) {}
    }

    @Test(arguments: StoreKind.large)
    func classesWithParametersWork(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        try context.performAndWait {
            let loan = Loan(context: context), author = Author(context: context)
            loan.note = "n"
            loan.days = 30
            loan.recordOwner = author
            loan.owners = [author]
            try context.save()
            context.refreshAllObjects()
            #expect(loan.note == "n" && loan.days == 30)
            #expect(loan.recordOwner === author)
            #expect(loan.owners == [author])
        }
        withExtendedLifetime(stack) {}
    }

    @Test func innerClassesAndThoseOfTheTestTargetWork() throws {
        let (_, context) = try makeContext(.inMemory)
        context.performAndWait {
            let agent = Agency.Agent(context: context), author = Author(context: context)
            author.agent = agent
            #expect(agent.authors == NSSet(object: author))
            agent.name = "a"
            #expect(author.value(forKeyPath: "agent.name") as? String == "a")
            let office = Agency.Office(context: context)
            office.city = "c"
            office.floor = 4
            #expect(office.value(forKey: "floor") as? Int == 4)
            let page = Page(context: context), next = Page(context: context)
            page.next = next
            page.notes.insert(next)
            page.number = 7
            #expect(page.next === next && page.notes == [next] && page.number == 7)
        }
    }

    /// As on Apple's platforms: only using the object would be a mistake.
    @Test func aRelationshipThatIsNotOptionalMayBeCompared() throws {
        let (_, context) = try makeContext(.inMemory)
        context.performAndWait {
            let book = Book(context: context)
            #expect((book.owner as Author?) == nil)
        }
    }
}
