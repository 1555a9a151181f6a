import CoreData
import XCTest

/// What tests of the app share: a folder for the store, and both stacks.
class LibraryTestCase: XCTestCase {
    private(set) var folder: URL!

    override func setUpWithError() throws {
        try super.setUpWithError()
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Library-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(at: folder)
        try super.tearDownWithError()
    }

    /// Runs a body with the stack as the app had it, and with the one that took its place.
    func withBothStacks(_ body: (DataStack) throws -> Void) throws {
        try body(HandRolledStack(storeURL: folder.appendingPathComponent("HandRolled.sqlite")))
        try body(MergedStack(storeURL: folder.appendingPathComponent("Merged.sqlite")))
    }

    func importCatalog(_ rows: [[String: Any]], into stack: DataStack) {
        let imported = expectation(description: "imported")
        CatalogImporter(stack: stack).importCatalog(rows) { error in
            XCTAssertNil(error)
            imported.fulfill()
        }
        wait(for: [imported], timeout: 30)
    }

    /// Lets the main queue run until a condition holds.
    func waitUntil(
        _ condition: () -> Bool,
        file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let end = Date(timeIntervalSinceNow: 30)
        while !condition(), Date() < end {
            RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.005))
        }
        XCTAssertTrue(condition(), file: file, line: line)
    }

    /// Ends what is one step of undo: the user's next action comes in another event.
    func endEvent() {
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
    }

    func books(_ stack: DataStack, _ predicate: NSPredicate? = nil) throws -> [Book] {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try stack.mainContext.fetch(request)
    }

    static let catalog: [[String: Any]] = [
        ["isbn": "1", "title": "Emma", "author": "Jane Austen", "pages": 474, "rating": 4.0],
        ["isbn": "2", "title": "Persuasion", "author": "jane austen", "pages": 249, "rating": 4.5],
        ["isbn": "3", "title": "Middlemarch", "author": "George Eliot", "pages": 880, "rating": 5],
        ["isbn": "4", "title": "Evelina", "author": "Fanny Burney", "pages": 455],
    ]
}
