import CoreData
import StackSupport
import Threads
import XCTest

@testable import MergeStack

/// Large saves are cut, so that main is never kept busy for longer than its budget. Time is what
/// the tests say: each object that main learns of takes 20 microseconds.
final class MergeSliceTests: StoreTestCase {
    private static let objectTime = TimeInterval(0.000_02)

    /// Time that goes by only when main merges.
    private final class WorkClock: @unchecked Sendable {
        // @unchecked: `time` has its lock; the token is constant after `init`.
        private let time = Guarded(TimeInterval(0))
        private var token: ObservationToken?
        /// How many objects main has merged.
        let merged = Guarded(0)

        var clock: MergeClock {
            let time = time
            return MergeClock { time.withLock { $0 } }
        }

        func follow(_ main: NSManagedObjectContext) {
            let sender = ObjectIdentifier(main)
            let time = time, merged = merged
            token = ObservationToken(.NSManagedObjectContextObjectsDidChange) { notification in
                guard ObjectIdentifier(notification.object as AnyObject) == sender else { return }
                let keys = [NSInsertedObjectsKey, NSRefreshedObjectsKey, NSDeletedObjectsKey]
                let count = keys.map { notification.changedObjects($0).count }.reduce(0, +)
                merged.withLock { $0 += count }
                time.withLock { $0 += objectTime * Double(count) }
            }
        }

        func stop() { token?.end() }
    }

    /// Puts a block on the main queue again and again, and notes what was merged between two.
    private final class MainQueueProbe: @unchecked Sendable {
        // @unchecked: touched on the main queue only.
        private let clock: WorkClock
        private var last = 0
        private var isStopped = false
        /// How many objects were merged without a break.
        private(set) var stretches: [Int] = []

        init(_ clock: WorkClock) { self.clock = clock }

        func run() {
            let merged = clock.merged.withLock { $0 }
            if merged > last { stretches.append(merged - last) }
            last = merged
            if !isStopped { DispatchQueue.main.async { self.run() } }
        }

        func stop() { isStopped = true }
    }

    private func makeSlicedItems(
        _ reports: Log<MergeReport>
    ) throws -> (ItemStack, WorkClock) {
        let time = WorkClock()
        var options = MergeOptions { reports.append($0) }
        options.clock = time.clock
        let items = try makeItems(options)
        time.follow(items.main)
        return (items, time)
    }

    func testASaveOfManyObjectsIsMergedInTurnsThatKeepTheBudget() throws {
        let reports = Log<MergeReport>()
        let (items, time) = try makeSlicedItems(reports)
        defer { items.remove() }
        defer { time.stop() }
        let count = 100_000
        let followed = try FollowedItems(
            in: items.main,
            where: NSPredicate(format: "number >= %d", count - 1_000),
            by: [NSSortDescriptor(key: "number", ascending: true)]
        )
        let probe = MainQueueProbe(time)
        let done = background {
            try items.stack.performBackgroundAndWait { context in
                for number in 0..<count { ItemStack.insert("i", number, into: context) }
            }
        }
        probe.run()
        wait(for: [done], timeout: 600)
        settle(items)
        probe.stop()
        turnMainQueue()
        // A turn has time for 200 objects; the first ones are merged before it is known.
        XCTAssertEqual(probe.stretches.reduce(0, +), count)
        XCTAssertLessThanOrEqual(probe.stretches.max() ?? 0, 200)
        let report = try XCTUnwrap(reports.all.first)
        XCTAssertEqual(reports.all.count, 1)
        XCTAssertEqual(report.insertedCount, count)
        XCTAssertLessThanOrEqual(items.stack.merger.statistics.longestTurnTime, 0.004 + 1e-9)
        XCTAssertGreaterThanOrEqual(report.turnCount, count / 200)
        XCTAssertEqual(followed.objects.count, 1_000)
    }

    /// A turn has time for 200 objects, and begins no other save once it has merged 50.
    func testATurnMergesASaveThatFitsAndLeavesOthersToLaterTurns() throws {
        let (items, time) = try makeSlicedItems(Log<MergeReport>())
        defer { items.remove() }
        defer { time.stop() }
        func save(_ count: Int) throws {
            try items.stack.performBackgroundAndWait { context in
                for number in 0..<count { ItemStack.insert("i", number, into: context) }
            }
        }
        let probe = MainQueueProbe(time)
        probe.run()
        // Cut after 128 objects, since it is not known what an object takes; and gone on with.
        try save(150)
        settle(items)
        for _ in 0..<6 { try save(30) }
        for _ in 0..<2 { try save(150) }
        settle(items)
        probe.stop()
        turnMainQueue()
        XCTAssertEqual(probe.stretches, [150, 60, 60, 60, 150, 150])
    }

    func testSlicesOfUpdatesAndDeletionsReachMain() throws {
        let reports = Log<MergeReport>()
        let (items, time) = try makeSlicedItems(reports)
        defer { items.remove() }
        defer { time.stop() }
        try items.stack.performBackgroundAndWait { context in
            for number in 0..<900 { ItemStack.insert("i", number, into: context) }
        }
        settle(items)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        let shown = try items.main.fetch(request)
        XCTAssertEqual(shown.count, 900)
        for item in shown { _ = item.value(forKey: "number") }
        try items.stack.performBackgroundAndWait { context in
            for item in try context.fetch(request) {
                let number = (item.value(forKey: "number") as? NSNumber)?.intValue ?? 0
                if number < 300 { context.delete(item) }
                item.setValue(number + 10_000, forKey: "number")
            }
            for number in 0..<300 { ItemStack.insert("new", number, into: context) }
        }
        // Main's own save may come between two slices.
        var turns = 0
        while items.stack.merger.statistics.mergeCount < 2, turns < 10_000 {
            turnMainQueue()
            ItemStack.insert("main \(turns)", 0, into: items.main)
            try items.main.save()
            turns += 1
        }
        XCTAssertGreaterThan(try XCTUnwrap(reports.all.last { $0.dropReason == nil }).sliceCount, 4)
        let alive = shown.filter { !$0.isDeleted && $0.managedObjectContext != nil }
        XCTAssertEqual(alive.count, 600)
        XCTAssertTrue(
            alive.allSatisfy {
                (($0.value(forKey: "number") as? NSNumber)?.intValue ?? 0) >= 10_300
            }
        )
        XCTAssertEqual(try items.main.count(for: request), 900 + turns)
    }

    /// Somebody who waits on the main queue gets all of it, the rest of a save begun included.
    func testWaitingOnMainMergesTheRestOfASaveThatIsCut() throws {
        let reports = Log<MergeReport>()
        let (items, time) = try makeSlicedItems(reports)
        defer { items.remove() }
        defer { time.stop() }
        try items.stack.performBackgroundAndWait { context in
            for number in 0..<2_000 { ItemStack.insert("i", number, into: context) }
        }
        let token = items.stack.merger.token
        turnMainQueue()
        XCTAssertGreaterThan(time.merged.withLock { $0 }, 0)
        XCTAssertFalse(token.isMerged)
        XCTAssertTrue(items.stack.merger.waitUntilSettled())
        XCTAssertTrue(token.isMerged)
        XCTAssertEqual(time.merged.withLock { $0 }, 2_000)
    }
}
