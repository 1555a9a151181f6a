import CoreData
import ManagedAccessorsFixture
import TestSupport
import Testing

@Suite struct AttributeAccessorTests {
    /// What is set through a property is what key-value access gives, before and after a save.
    @Test(arguments: StoreKind.allCases)
    func valuesOfAllTypesSurviveASave(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        let identifier = UUID(), day = Date(timeIntervalSinceReferenceDate: 86_400.5)
        try context.performAndWait {
            let author = Author(context: context)
            author.name = "Ursula"
            author.title = "Dr"
            author.small = -7
            author.middle = 70_000
            author.large = .max
            author.count = 12
            author.isActive = true
            author.ratio = 0.1
            author.weight = 61.5
            author.born = day
            author.registered = day
            author.stamp = 1_000.25
            author.photo = Data([0, 1, 2])
            author.identifier = identifier
            author.homepage = URL(string: "https://example.org/a?b=c")
            author.balance = NSDecimalNumber(string: "1234567.25")
            author.price = Decimal(string: "0.07") ?? 0
            author.boxed = 2.5
            author.nicknames = ["U", "K"]
            author.settings = ["a": 1]
            author.thing = NSString("thing")
            author.unwrapped = "u"
            author.mood = .merry
            author.rank = AuthorRank(rawValue: "grand")
            author.setHidden(3, "secret")
            author.default = "d"
            try context.save()
        }
        let other = stack.makeContext()
        try other.performAndWait {
            let author = try #require(
                try other.fetch(NSFetchRequest<Author>(entityName: "Author")).first
            )
            #expect(author.name == "Ursula")
            #expect(author.title == "Dr")
            #expect(author.small == -7)
            #expect(author.middle == 70_000)
            #expect(author.large == .max)
            #expect(author.count == 12)
            #expect(author.isActive)
            #expect(author.ratio == 0.1)
            #expect(author.weight == 61.5)
            #expect(author.born == day)
            #expect(author.died == nil)
            #expect(author.registered == day)
            #expect(author.stamp == 1_000.25)
            #expect(author.photo == Data([0, 1, 2]))
            #expect(author.identifier == identifier)
            #expect(author.homepage?.absoluteString == "https://example.org/a?b=c")
            #expect(author.balance == NSDecimalNumber(string: "1234567.25"))
            #expect(author.price == Decimal(string: "0.07"))
            #expect(author.boxed == 2.5)
            #expect(author.nicknames == ["U", "K"])
            #expect(author.settings == ["a": 1])
            #expect(author.thing as? NSString == "thing")
            #expect(author.unwrapped == "u")
            #expect(author.mood == .merry)
            #expect(author.rank?.rawValue == "grand")
            #expect(author.readOnly == 3)
            #expect(author.secretLength == 6)
            #expect(author.default == "d")
            for key in ["name", "title", "unwrapped"] {
                #expect(author.value(forKey: key) is String)
            }
            #expect(author.value(forKey: "mood") as? Int == 5)
            #expect(author.value(forKey: "born") as? Date == day)
        }
    }

    /// As Apple's bridging makes nothing of nil.
    @Test func nullsReadAsNothingWhereTheTypeHasNoNil() throws {
        let (_, context) = try makeContext(.inMemory)
        context.performAndWait {
            let author = Author(context: context)
            #expect(author.title.isEmpty)
            #expect(author.large == 0)
            #expect(!author.isActive)
            #expect(author.ratio == 0)
            #expect(author.settings.isEmpty)
            #expect(author.mood == .calm)
            #expect(author.rank == nil)
            #expect(author.unwrapped == nil)
            #expect(author.thing == nil)
        }
    }

    @Test(arguments: StoreKind.large)
    func settingAPropertyIsAChange(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        try context.performAndWait {
            let author = Author(context: context)
            author.name = "A"
            try context.save()
            #expect(!author.hasChanges)
            author.name? += "B"
            #expect(author.hasChanges)
            #expect(author.changedValues() as? [String: String] == ["name": "AB"])
            #expect(author.value(forKey: "name") as? String == "AB")
            context.rollback()
            #expect(author.name == "A")
            author.setValue("C", forKey: "name")
            #expect(author.name == "C")
        }
        withExtendedLifetime(stack) {}
    }

    @Test(arguments: StoreKind.large)
    func readingAPropertyFiresTheFault(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        try context.performAndWait {
            let author = Author(context: context)
            author.name = "A"
            try context.save()
            context.refresh(author, mergeChanges: false)
            #expect(author.isFault)
            #expect(author.name == "A")
            #expect(!author.isFault)
        }
        withExtendedLifetime(stack) {}
    }

    /// A property that hides its key behind a primitive one.
    @Test(arguments: StoreKind.large)
    func accessorsWrittenByHandUsePrimitiveProperties(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        try context.performAndWait {
            let book = Book(context: context)
            book.name = "Solaris"
            book.pages = 204
            try context.save()
            #expect(book.name == "SOLARIS")
            #expect(book.value(forKey: "name") as? String == "SOLARIS")
            book.setPagesQuietly(205)
            #expect(book.pages == 205)
            #expect(!book.hasChanges)
        }
        withExtendedLifetime(stack) {}
    }

    @Test(arguments: StoreKind.large)
    func inheritedPropertiesMeanTheSameInSubentities(in kind: StoreKind) throws {
        let (stack, context) = try makeContext(kind)
        try context.performAndWait {
            let book = Book(context: context), novel = Novel(context: context)
            for (index, book) in [book, novel].enumerated() {
                book.name = "n\(index)"
                book.pages = Int32(index)
            }
            novel.genre = "g"
            novel.year = 1961
            try context.save()
            #expect([book.name, novel.name] == ["N0", "N1"])
            #expect(novel.pages == 1)
            #expect(novel.value(forKey: "genre") as? String == "g")
        }
        withExtendedLifetime(stack) {}
    }

    /// Two models in which the same class has its properties in other slots.
    @Test func oneClassServesEntitiesOfSeveralModels() throws {
        for names in [["heading"], ["a", "b", "heading"], ["heading", "z"]] {
            let entity = LibraryModel.entity(
                "Chapter",
                Chapter.self,
                names.map { LibraryModel.attribute($0, .string) }
            )
            let model = NSManagedObjectModel()
            model.entities = [entity]
            let stack = try TestStack(.inMemory, model: model)
            let context = stack.makeContext()
            context.performAndWait {
                let chapter = Chapter(entity: entity, insertInto: context)
                chapter.heading = "h\(names.count)"
                #expect(chapter.value(forKey: "heading") as? String == "h\(names.count)")
            }
        }
    }

    @Test func protocolsAreMetByManagedProperties() throws {
        func rename<Thing: Named>(_ thing: inout Thing) {
            thing.name = "new"
            thing.name?.append("!")
        }
        let (_, context) = try makeContext(.inMemory)
        context.onQueue {
            var author = Author(context: context)
            rename(&author)
            #expect(author.name == "new!")
            author[keyPath: \.name] = "path"
            #expect(author[keyPath: \Author.name] == "path")
        }
    }

    @Test func whatIsNotANumberIsRefusedByTheSave() throws {
        let (stack, context) = try makeContext(.inMemory)
        defer { withExtendedLifetime(stack) {} }
        try context.onQueue {
            let author = Author(context: context)
            author.name = "a"
            try context.save()
            let changes: [(set: (Author) -> Void, takeBack: (Author) -> Void)] = [
                ({ $0.ratio = .nan }, { $0.ratio = 1 }), ({ $0.weight = .nan }, { $0.weight = 1 }),
                (
                    { $0.died = Date(timeIntervalSinceReferenceDate: .nan) },
                    { $0.died = nil }
                ),
            ]
            for (set, takeBack) in changes {
                set(author)
                #expect(throws: CocoaError.self) { try context.save() }
                takeBack(author)
                try context.save()
            }
        }
    }

    @Test func accessorsAreCheckedWhereConcurrencyDebuggingIsOn() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
            let (stack, context) = try makeContext(.inMemory)
            let author = context.performAndWait { Author(context: context) }
            _ = author.name
            withExtendedLifetime((stack, author)) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Multithreading_Violation"))
    }

    @Test func aPropertyThatTheEntityLacksStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let (_, context) = try makeContext(.inMemory)
            context.performAndWait {
                let entity = NSEntityDescription.entity(forEntityName: "Author", in: context)
                let author = TestAuthor(entity: entity ?? NSEntityDescription(), insertInto: nil)
                author.extra = "none"
            }
        }
    }
}
