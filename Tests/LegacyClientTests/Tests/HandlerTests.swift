import CoreData
import MergeStack
import XCTest

/// The three commonest hand-rolled handlers: what each does wrong, and what a merger does in its
/// place.
class HandlerTests: LibraryTestCase {
    private var coordinators: [NSPersistentStoreCoordinator] = []

    override func tearDownWithError() throws {
        // Before their files go.
        for coordinator in coordinators {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        try super.tearDownWithError()
    }

    /// A main context over a new store.
    private func makeMainContext() throws -> NSManagedObjectContext {
        let modelURL = Bundle.module.url(forResource: "Library", withExtension: "momd")!
        let model = NSManagedObjectModel(contentsOf: modelURL)!
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: folder.appendingPathComponent("\(coordinators.count).sqlite"),
            options: nil
        )
        coordinators.append(coordinator)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func makeWorker(_ main: NSManagedObjectContext) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = main.persistentStoreCoordinator
        return context
    }

    private static func insertBooks(_ count: Int, into context: NSManagedObjectContext) {
        for index in 0..<count {
            let book = Book(context: context)
            book.isbn = "\(index)"
            book.title = "Book \(index)"
        }
    }

    private func titles(onDiskOf main: NSManagedObjectContext) throws -> [String] {
        let context = makeWorker(main)
        var result: Result<[String], Error>?
        context.performAndWait {
            result = Result {
                let request: NSFetchRequest<Book> = Book.fetchRequest()
                return try context.fetch(request).map(\.title).sorted()
            }
        }
        return try XCTUnwrap(result).get()
    }

    /// How many objects main was told of as inserted.
    private final class Insertions: @unchecked Sendable {
        // @unchecked: main tells it on the main queue, where the test looks.
        private(set) var largest = 0
        private(set) var total = 0
        private var token: NSObjectProtocol?

        init(_ main: NSManagedObjectContext) {
            token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange,
                object: main,
                queue: nil
            ) { [weak self] in self?.note($0) }
        }

        private func note(_ notification: Notification) {
            let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
            largest = max(largest, inserted?.count ?? 0)
            total += inserted?.count ?? 0
        }

        deinit { token.map(NotificationCenter.default.removeObserver) }
    }

    /// `waitUntilDone: true`: whoever waits on main for a worker waits forever.
    func testMainThatWaitsForASaver() throws {
        func savesWhileMainWaits(
            _ main: NSManagedObjectContext,
            _ timeout: DispatchTimeInterval,
            _ save: @escaping (NSManagedObjectContext) throws -> Void
        ) -> Bool {
            let worker = makeWorker(main)
            let isSaved = DispatchSemaphore(value: 0)
            worker.perform {
                Self.insertBooks(1, into: worker)
                do {
                    try save(worker)
                } catch {
                    XCTFail("\(error)")
                }
                isSaved.signal()
            }
            defer { waitUntil { ((try? main.count(for: Book.fetchRequest())) ?? 0) == 1 } }
            return isSaved.wait(timeout: .now() + timeout) == .success
        }
        let old = try makeMainContext()
        let handler = WaitingHandler(mainContext: old)
        withExtendedLifetime(handler) {
            XCTAssertFalse(savesWhileMainWaits(old, .milliseconds(300)) { try $0.save() })
        }
        let new = try makeMainContext()
        let merged = MergedSaves(mainContext: new)
        XCTAssertTrue(savesWhileMainWaits(new, .seconds(30)) { try $0.save() })
        // Who wants to see what was saved waits for that, and not in the save.
        let shown = expectation(description: "shown")
        let worker = makeWorker(new)
        worker.perform {
            Self.insertBooks(1, into: worker)
            do {
                try merged.saveAndShow(worker)
            } catch {
                XCTFail("\(error)")
            }
            shown.fulfill()
        }
        wait(for: [shown], timeout: 30)
        XCTAssertEqual(try new.count(for: Book.fetchRequest()), 2)
    }

    /// `DispatchQueue.main.async`: nobody waits, but main takes in all of a save at once.
    func testALargeSaveKeepsMainBusy() throws {
        let count = 20_000
        func largestChange(_ main: NSManagedObjectContext) throws -> Int {
            let insertions = Insertions(main)
            let worker = makeWorker(main)
            worker.performAndWait {
                Self.insertBooks(count, into: worker)
                do {
                    try worker.save()
                } catch {
                    XCTFail("\(error)")
                }
            }
            waitUntil { insertions.total == count }
            return insertions.largest
        }
        let old = try makeMainContext()
        let handler = PassingHandler(mainContext: old)
        try withExtendedLifetime(handler) {
            XCTAssertEqual(try largestChange(old), count)
        }
        let new = try makeMainContext()
        let merged = MergedSaves(mainContext: new)
        try withExtendedLifetime(merged) {
            XCTAssertLessThan(try largestChange(new), count)
        }
    }

    /// `save()` after the merge: an import saves what somebody is typing.
    func testAnImportSavesAHalfFilledForm() throws {
        func importOne(_ main: NSManagedObjectContext) throws {
            let worker = makeWorker(main)
            worker.performAndWait {
                Self.insertBooks(1, into: worker)
                do {
                    try worker.save()
                } catch {
                    XCTFail("\(error)")
                }
            }
        }
        let old = try makeMainContext()
        let handler = SavingHandler(mainContext: old)
        let typed = Book(context: old)
        typed.isbn = "9"
        typed.title = "Half a ti"
        try importOne(old)
        waitUntil { !old.hasChanges }
        withExtendedLifetime(handler) {}
        XCTAssertEqual(try titles(onDiskOf: old), ["Book 0", "Half a ti"])

        let store = NSPersistentStoreDescription(url: folder.appendingPathComponent("new.sqlite"))
        let modelURL = Bundle.module.url(forResource: "Library", withExtension: "momd")!
        let stack = try NotificationMergeStack(
            model: NSManagedObjectModel(contentsOf: modelURL)!,
            stores: [store]
        )
        defer { stack.invalidate() }
        let form = BookForm(newBookIn: stack)
        form.book.isbn = "9"
        form.book.title = "Half a ti"
        try importOne(stack.mainContext)
        waitUntil { ((try? stack.mainContext.count(for: Book.fetchRequest())) ?? 0) == 1 }
        XCTAssertEqual(try titles(onDiskOf: stack.mainContext), ["Book 0"])
        form.book.title = "Half a title"
        try form.done()
        XCTAssertEqual(try titles(onDiskOf: stack.mainContext), ["Book 0", "Half a title"])
    }
}
