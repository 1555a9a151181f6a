import CoreData
import StackSupport
import XCTest

@testable import MergeStack

/// What a merger is told to follow and to leave out: contexts, coordinators, results controllers.
class MergeFollowingTests: StoreTestCase {
    func testExcludedContextsAreLeftOut() throws {
        let items = try makeItems()
        defer { items.remove() }
        let context = items.stack.makeBackgroundContext()
        items.stack.merger.exclude(context)
        let save = {
            try context.inside {
                ItemStack.insert("a", into: context)
                try context.save()
            }
        }
        try save()
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.droppedCounts[.excluded], 1)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 0)
        try items.insertInBackground("of another one")
        items.stack.merger.include(context)
        try save()
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 2)
    }

    func testContextsAreExcludedFromManyThreads() throws {
        let items = try makeItems()
        defer { items.remove() }
        let contexts = (0..<200).map { _ in items.stack.makeBackgroundContext() }
        let merger = items.stack.merger
        DispatchQueue.concurrentPerform(iterations: contexts.count) { index in
            merger.exclude(contexts[index])
        }
        for context in contexts {
            try context.inside {
                ItemStack.insert("a", into: context)
                try context.save()
            }
        }
        settle(items)
        XCTAssertEqual(merger.statistics.droppedCounts[.excluded], contexts.count)
    }

    func testTheMergerDoesNotKeepWhatItExcludes() throws {
        let items = try makeItems()
        defer { items.remove() }
        weak var excluded: NSManagedObjectContext?
        autoreleasing {
            let context = items.stack.makeBackgroundContext()
            items.stack.merger.exclude(context)
            excluded = context
        }
        XCTAssertNil(excluded)
    }

    private func autoreleasing(_ body: () -> Void) { body() }

    // MARK: Results controllers

    private func followed(_ items: ItemStack, over number: Int) throws -> FollowedItems {
        try FollowedItems(
            in: items.main,
            where: NSPredicate(format: "number > %d", number),
            by: [NSSortDescriptor(key: "number", ascending: false)]
        )
    }

    /// Objects that main never had and that begin to match are read, others are not.
    func testMatchingPolicyReadsWhatAControllerComesToList() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(faultPolicy: .matchingResults) { reports.append($0) }
        )
        defer { items.remove() }
        for name in ["a", "b", "c"] { try items.insertInBackground(name, 1) }
        settle(items)
        let followed = try followed(items, over: 5)
        items.stack.merger.follow(followed.controller)
        try items.stack.performBackgroundAndWait { context in
            for (name, number) in [("a", 10), ("b", 2), ("c", 3)] {
                try ItemStack.fetch(name, in: context).setValue(number, forKey: "number")
            }
        }
        settle(items)
        XCTAssertEqual(followed.names, ["a"])
        XCTAssertEqual(followed.changeCount, 1)
        XCTAssertEqual(reports.all.last?.firedFaultCount, 1)
        XCTAssertEqual(reports.all.last?.updatedCount, 3)
    }

    /// A fault may be listed by a controller already, which has to learn that it matches no more.
    func testMatchingPolicyReadsFaultsThatMainHas() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(faultPolicy: .matchingResults) { reports.append($0) }
        )
        defer { items.remove() }
        try items.insertInBackground("a", 10)
        settle(items)
        let followed = try followed(items, over: 5)
        // One that follows its context would read its objects again at once.
        followed.controller.delegate = nil
        items.stack.merger.follow(followed.controller)
        let item = try XCTUnwrap(followed.controller.fetchedObjects?.first)
        items.main.refresh(item, mergeChanges: false)
        items.main.processPendingChanges()
        XCTAssertTrue(item.isFault)
        try items.updateInBackground("a", to: 1)
        settle(items)
        XCTAssertEqual(reports.all.last?.firedFaultCount, 1)
        XCTAssertFalse(item.isFault)
    }

    /// A predicate that the store can't evaluate says nothing of objects that main does not have.
    func testMatchingPolicyReadsAllForPredicatesOfCode() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(faultPolicy: .matchingResults) { reports.append($0) }
        )
        defer { items.remove() }
        for name in ["a", "b"] { try items.insertInBackground(name, 1) }
        settle(items)
        let request = NSFetchRequest<NSManagedObject>()
        request.entity =
            items.main.persistentStoreCoordinator?
            .managedObjectModel.entitiesByName["Item"]
        request.predicate = NSPredicate { object, _ in
            ((object as? NSManagedObject)?.value(forKey: "number") as? Int ?? 0) > 5
        }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: items.main,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        items.stack.merger.follow(controller)
        try items.stack.performBackgroundAndWait { context in
            for (name, number) in [("a", 10), ("b", 2)] {
                try ItemStack.fetch(name, in: context).setValue(number, forKey: "number")
            }
        }
        settle(items)
        XCTAssertEqual(reports.all.last?.firedFaultCount, 2)
    }

    func testMatchingPolicyReadsNothingForControllersThatAreGone() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(faultPolicy: .matchingResults) { reports.append($0) }
        )
        defer { items.remove() }
        try items.insertInBackground("a", 1)
        settle(items)
        weak var gone: NSFetchedResultsController<NSManagedObject>?
        try {
            let controller = try followed(items, over: 5).controller
            items.stack.merger.follow(controller)
            gone = controller
        }()
        XCTAssertNil(gone)
        try items.updateInBackground("a", to: 10)
        settle(items)
        XCTAssertEqual(reports.all.last?.firedFaultCount, 0)
    }

    /// Nothing is read that no policy asks for.
    func testPolicyNoneReadsNothing() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions(faultPolicy: .none) { reports.append($0) })
        defer { items.remove() }
        let id = try items.insertInBackground("a", 1)
        settle(items)
        let fault = items.main.object(with: id)
        items.main.refresh(fault, mergeChanges: false)
        try items.updateInBackground("a", to: 10)
        settle(items)
        XCTAssertTrue(fault.isFault)
        XCTAssertEqual(reports.all.last?.firedFaultCount, 0)
        XCTAssertEqual(fault.value(forKey: "number") as? Int, 10)
    }
}

final class InMemoryMergeFollowingTests: MergeFollowingTests {
    override var storeType: String { NSInMemoryStoreType }
    override func testExcludedContextsAreLeftOut() throws {
        try super.testExcludedContextsAreLeftOut()
    }
    /// A store in memory can evaluate them.
    override func testMatchingPolicyReadsAllForPredicatesOfCode() {}
}

/// A second coordinator at the same file.
final class FurtherCoordinatorTests: StoreTestCase {
    func testSavesOfAFurtherCoordinatorAreMergedByTheirURIs() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions { reports.append($0) })
        defer { items.remove() }
        let id = try items.insertInBackground("shown", 1)
        let doomed = try items.insertInBackground("doomed", 1)
        settle(items)
        let shown = try items.main.existingObject(with: id)
        let gone = try items.main.existingObject(with: doomed)
        let other = try NotificationMergeStack(
            model: ItemStack.makeModel(),
            stores: [NSPersistentStoreDescription(url: items.storeURL)]
        )
        let change: (Int) throws -> Void = { number in
            try other.performBackgroundAndWait { context in
                try ItemStack.fetch("shown", in: context).setValue(number, forKey: "number")
            }
        }
        try change(2)
        settle(items)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 1, "Nobody asked for it.")
        items.stack.merger.add(other.coordinator)
        try other.performBackgroundAndWait { context in
            try ItemStack.fetch("shown", in: context).setValue(3, forKey: "number")
            context.delete(try ItemStack.fetch("doomed", in: context))
            ItemStack.insert("new", into: context)
        }
        settle(items)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 3)
        XCTAssertTrue(gone.isDeleted || gone.managedObjectContext == nil)
        let report = try XCTUnwrap(reports.all.last)
        XCTAssertEqual(report.origin, .otherCoordinator)
        XCTAssertEqual(report.insertedCount, 1)
        // The row's version is the store's, so that main can save on top of it.
        shown.setValue(4, forKey: "number")
        items.main.mergePolicy = NSMergePolicy.error
        try items.main.save()
        try other.tearDown()
    }
}
