import CoreData
import XCTest

/// What went wrong with the hand-rolled stack, and does not with the one that took its place.
class FlawTests: LibraryTestCase {
    private func makeStacks() throws -> (old: HandRolledStack, new: MergedStack) {
        (
            try HandRolledStack(storeURL: folder.appendingPathComponent("HandRolled.sqlite")),
            try MergedStack(storeURL: folder.appendingPathComponent("Merged.sqlite"))
        )
    }

    /// The worker's save waits for the main queue, and the main queue for the worker.
    func testMainThatWaitsForAnImport() throws {
        let (old, new) = try makeStacks()
        func isDoneInTime(_ stack: DataStack, _ timeout: DispatchTimeInterval) -> Bool {
            let isDone = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                do {
                    try CatalogImporter(stack: stack).importNow(Self.catalog)
                } catch {
                    XCTFail("\(error)")
                }
                isDone.signal()
            }
            return isDone.wait(timeout: .now() + timeout) == .success
        }
        XCTAssertFalse(isDoneInTime(old, .milliseconds(300)))
        XCTAssertTrue(isDoneInTime(new, .seconds(30)))
        for stack in [old, new] as [DataStack] {
            waitUntil { (try? books(stack).count) == 4 }
        }
    }

    /// Background contexts had the default merge policy.
    func testTwoWorkersThatChangeTheSameBook() throws {
        let (old, new) = try makeStacks()
        func codeOfSecondSave(_ stack: DataStack) throws -> Int? {
            importCatalog(Self.catalog, into: stack)
            func book(_ context: NSManagedObjectContext) throws -> Book {
                let request: NSFetchRequest<Book> = Book.fetchRequest()
                request.predicate = NSPredicate(format: "isbn == '1'")
                return try XCTUnwrap(context.fetch(request).first)
            }
            let contexts = [stack.newBackgroundContext(), stack.newBackgroundContext()]
            let first = try book(contexts[0]), second = try book(contexts[1])
            XCTAssertEqual(second.title, "Emma")
            first.title = "Emma I"
            try contexts[0].save()
            second.pages = 1
            do {
                try contexts[1].save()
                return nil
            } catch {
                return (error as NSError).code
            }
        }
        XCTAssertEqual(try codeOfSecondSave(old), NSManagedObjectMergeError)
        XCTAssertNil(try codeOfSecondSave(new))
        waitUntil { (try? books(new, NSPredicate(format: "pages == 1")).first?.title) == "Emma I" }
    }
}
