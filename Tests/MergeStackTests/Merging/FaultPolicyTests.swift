import CoreData
import StackSupport
import XCTest

@testable import MergeStack

/// A results controller sees updates of objects whatever their state in main.
class FaultPolicyTests: StoreTestCase {
    private enum ObjectState: CaseIterable { case notRegistered, fault, realised }

    func testUpdatedIntoTheResult() throws {
        for state in ObjectState.allCases {
            let names = try resultNames(state, from: 1, to: 10)
            XCTAssertEqual(names, ["high", "a"], "\(state)")
        }
    }

    func testUpdatedOutOfTheResult() throws {
        for state in ObjectState.allCases {
            let names = try resultNames(state, from: 10, to: 1)
            XCTAssertEqual(names, ["high"], "\(state)")
        }
    }

    /// What a controller for numbers above 5 lists after an update that it only hears of.
    private func resultNames(
        _ state: ObjectState,
        from before: Int,
        to after: Int
    ) throws -> [String] {
        let policy: MergeOptions.FaultPolicy = state == .notRegistered ? .all : .registered
        let items = try makeItems(MergeOptions(faultPolicy: policy))
        defer { items.remove() }
        let id = try items.insertInBackground("a", before)
        try items.insertInBackground("high", 100)
        settle(items)
        let followed = try FollowedItems(
            in: items.main,
            where: NSPredicate(format: "number > 5"),
            by: [NSSortDescriptor(key: "number", ascending: false)]
        )
        var kept: NSManagedObject?
        switch state {
        case .notRegistered: break
        case .fault:
            let object = items.main.object(with: id)
            if !object.isFault { items.main.refresh(object, mergeChanges: false) }
            XCTAssertTrue(object.isFault)
            kept = object
        case .realised:
            kept = try items.main.existingObject(with: id)
        }
        try items.updateInBackground("a", to: after)
        settle(items)
        XCTAssertEqual(followed.changeCount, 1, "\(state)")
        return withExtendedLifetime(kept) { followed.names }
    }

    func testGoneObjectsAreCountedNotThrown() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions(faultPolicy: .all) { reports.append($0) })
        defer { items.remove() }
        try items.insertInBackground("a", 1)
        try items.updateInBackground("a", to: 2)
        try items.deleteInBackground("a")
        settle(items)
        XCTAssertEqual(reports.all.count, 3)
        XCTAssertEqual(reports.all[1].goneCount + reports.all[1].firedFaultCount, 1)
    }
}
