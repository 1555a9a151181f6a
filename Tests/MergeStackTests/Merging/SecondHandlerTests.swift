import CoreData
import StackSupport
import Threads
import XCTest

@testable import MergeStack

/// A code base half way: the merger is there, and the handler of before has been left beside it.
/// Results controllers hear of each change once all the same, whoever merges first.
class SecondHandlerTests: StoreTestCase {
    /// Tells what a results controller reports, in words.
    private final class Reports: NSObject, NSFetchedResultsControllerDelegate {
        private(set) var events: [String] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChange anObject: Any,
            at indexPath: IndexPath?,
            for type: NSFetchedResultsChangeType,
            newIndexPath: IndexPath?
        ) {
            let name = (anObject as? NSManagedObject)?.value(forKey: "name") as? String ?? ""
            let verb =
                switch type {
                case .insert: "insert"
                case .update: "update"
                case .delete: "delete"
                case .move: "move"
                }
            events.append("\(verb) \(name)")
        }

        /// What has been reported since this was called last, sorted.
        func take() -> [String] {
            defer { events = [] }
            return events.sorted()
        }
    }

    /// The handler that was there before: it merges each save that is not main's own.
    private final class Handler: @unchecked Sendable {
        // @unchecked: the waiting notifications are touched on the main queue only.
        private let main: NSManagedObjectContext
        private var token: ObservationToken?
        private var waiting: [Notification] = []
        private(set) var mergeCount = 0

        init(_ main: NSManagedObjectContext) {
            self.main = main
            token = ObservationToken(.NSManagedObjectContextDidSave) { [weak self] notification in
                guard let self, notification.object as? NSManagedObjectContext !== main else {
                    return
                }
                let posted = PostedNotification(notification)
                DispatchQueue.main.async { self.waiting.append(posted.notification) }
            }
        }

        /// Merges what has come, as the handler's block on the main queue does.
        func merge() {
            mergeCount += waiting.count
            for notification in waiting { main.mergeChanges(fromContextDidSave: notification) }
            waiting = []
            main.processPendingChanges()
        }

        func stop() { token?.end() }
    }

    /// Goes from the saving thread to the main queue, as in the handlers of old code.
    private struct PostedNotification: @unchecked Sendable {
        // @unchecked: the objects in it are used by the merge alone, which reads their IDs.
        let notification: Notification
        init(_ notification: Notification) { self.notification = notification }
    }

    private func controller(
        _ items: ItemStack,
        _ predicate: String? = nil,
        _ reports: Reports
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = predicate.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: items.main,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        controller.delegate = reports
        try controller.performFetch()
        return controller
    }

    /// Inserts, updates and deletes, with a merge by both after each.
    ///
    /// - Parameter mergeBoth: Has both merge what was saved by the block.
    private func checkReports(
        _ mergeBoth: (ItemStack, Handler, () throws -> Void) throws -> Void
    ) throws {
        let items = try makeItems()
        defer { items.remove() }
        try items.insertInBackground("a", 1)
        try items.insertInBackground("doomed", 1)
        settle(items)
        let reports = Reports()
        let controller = try controller(items, nil, reports)
        let handler = Handler(items.main)
        defer { handler.stop() }
        try mergeBoth(items, handler) {
            try items.stack.performBackgroundAndWait { context in
                ItemStack.insert("new", 1, into: context)
                try ItemStack.fetch("a", in: context).setValue(2, forKey: "number")
                context.delete(try ItemStack.fetch("doomed", in: context))
            }
        }
        XCTAssertEqual(reports.take(), ["delete doomed", "insert new", "update a"])
        try mergeBoth(items, handler) { try items.updateInBackground("new", to: 2) }
        XCTAssertEqual(reports.take(), ["update new"])
        XCTAssertEqual(handler.mergeCount, 2)
        XCTAssertEqual(try items.main.items(), ["a|2", "new|2"])
        XCTAssertEqual(controller.fetchedObjects?.count, 2)
    }

    func testAHandlerThatMergesAfterTheMergerReportsNothingTwice() throws {
        try checkReports { items, handler, save in
            try save()
            settle(items)
            turnMainQueue()
            handler.merge()
        }
    }

    func testAHandlerThatMergesBeforeTheMergerReportsNothingTwice() throws {
        try checkReports { items, handler, save in
            items.stack.merger.pause()
            try save()
            turnMainQueue()
            handler.merge()
            items.stack.merger.resume()
            settle(items)
        }
    }

    /// The handler merges all of a save while the merger has merged some slices of it.
    func testAHandlerThatMergesBetweenTwoSlicesReportsNothingTwice() throws {
        var options = MergeOptions()
        options.turnBudget = 0
        let items = try makeItems(options)
        defer { items.remove() }
        let count = 2_000
        try items.stack.performBackgroundAndWait { context in
            for index in 0..<count {
                ItemStack.insert(String(format: "%05d", index), 1, into: context)
            }
        }
        settle(items)
        let reports = Reports()
        let controller = try controller(items, nil, reports)
        let handler = Handler(items.main)
        defer { handler.stop() }
        var reportedBefore: [Int] = []
        try items.stack.performBackgroundAndWait { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            for item in try context.fetch(request) { item.setValue(2, forKey: "number") }
        }
        while reports.events.isEmpty { turnMainQueue() }
        reportedBefore.append(reports.events.count)
        handler.merge()
        reportedBefore.append(reports.events.count)
        settle(items)
        XCTAssertLessThan(try XCTUnwrap(reportedBefore.first), count)
        XCTAssertEqual(reportedBefore.last, count)
        XCTAssertEqual(
            reports.take(),
            (0..<count).map { "update " + String(format: "%05d", $0) }
        )
        XCTAssertEqual(controller.fetchedObjects?.count, count)
    }

    /// The merger reads what comes to match a followed list, which is news although the handler has
    /// merged the save that made it match.
    func testWhatComesToMatchAListIsReportedThoughTheHandlerMergesFirst() throws {
        var options = MergeOptions()
        options.faultPolicy = .matchingResults
        let items = try makeItems(options)
        defer { items.remove() }
        try items.insertInBackground("a", 1)
        settle(items)
        let reports = Reports()
        let controller = try controller(items, "number > 5", reports)
        items.stack.merger.follow(controller)
        let handler = Handler(items.main)
        defer { handler.stop() }
        XCTAssertTrue(items.main.registeredObjects.isEmpty)
        items.stack.merger.pause()
        try items.updateInBackground("a", to: 9)
        turnMainQueue()
        handler.merge()
        XCTAssertEqual(reports.take(), [])
        items.stack.merger.resume()
        settle(items)
        XCTAssertEqual(reports.take(), ["insert a"])
    }

    /// Handlers that save main after a merge, and merge main's saves into a context that stays, do
    /// not set each other off.
    func testHandlersInBothDirectionsComeToRest() throws {
        let items = try makeItems()
        defer { items.remove() }
        try items.insertInBackground("a", 1)
        try items.insertInBackground("doomed", 1)
        settle(items)
        let main = items.main
        let list = try main.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
        let worker = items.stack.makeBackgroundContext()
        let saves = Log<String>()
        let token = ObservationToken(.NSManagedObjectContextDidSave) { notification in
            let saved = notification.object as? NSManagedObjectContext
            let posted = PostedNotification(notification)
            saves.append(saved === main ? "main" : "worker")
            let other = saved === main ? worker : main
            other.perform {
                other.mergeChanges(fromContextDidSave: posted.notification)
                guard other.hasChanges else { return }
                do {
                    try other.save()
                } catch {
                    XCTFail("\(error)")
                }
            }
        }
        defer { token.end() }
        try worker.inside {
            try ItemStack.fetch("a", in: worker).setValue(2, forKey: "number")
            worker.delete(try ItemStack.fetch("doomed", in: worker))
            ItemStack.insert("new", 1, into: worker)
            try worker.save()
        }
        for _ in 0..<20 {
            settle(items)
            worker.performAndWait {}
            turnMainQueue()
        }
        // Main counts the merged deletion as a change, and saves it once at most.
        XCTAssertLessThanOrEqual(saves.all.count, 3)
        XCTAssertEqual(try main.items(), ["a|2", "new|1"])
        XCTAssertEqual(list.filter { $0.managedObjectContext != nil }.count, 1)
    }
}

final class InMemorySecondHandlerTests: SecondHandlerTests {
    override var storeType: String { NSInMemoryStoreType }
    override func testAHandlerThatMergesAfterTheMergerReportsNothingTwice() throws {
        try super.testAHandlerThatMergesAfterTheMergerReportsNothingTwice()
    }
}
