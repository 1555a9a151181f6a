import CoreData
import LegacyXCTest
import XCTest

/// What of XCTest this package adds; written as a test on Apple's platforms is.
final class ExpectationTests: XCTestCase {
    private func makeObject() throws -> NSManagedObject {
        let entity = NSEntityDescription()
        entity.name = "Thing"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        entity.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType,
            configurationName: nil,
            at: nil
        )
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    }

    func testTheDescriptionOfAClassNamesItWithItsModule() {
        XCTAssertEqual(type(of: self).description(), "LegacyXCTestTests.ExpectationTests")
    }

    func testAnExpectedValueIsWaitedFor() throws {
        let thing = try makeObject()
        let later = keyValueObservingExpectation(for: thing, keyPath: "name", expectedValue: "b")
        later.assertForOverFulfill = true
        thing.setValue("a", forKey: "name")
        DispatchQueue.main.async { thing.setValue("b", forKey: "name") }
        waitForExpectations(timeout: 5)
        XCTAssertEqual(thing.value(forKey: "name") as? String, "b")
        thing.setValue("b", forKey: "name")
    }

    func testAValueThatIsThereCounts() throws {
        let thing = try makeObject()
        thing.setValue("a", forKey: "name")
        wait(
            for: [XCTKVOExpectation(keyPath: "name", object: thing, expectedValue: "a")],
            timeout: 0
        )
    }

    func testAHandlerChooses() throws {
        let thing = try makeObject()
        var seen: [String?] = []
        keyValueObservingExpectation(for: thing, keyPath: "name") { _, change in
            seen.append(change["new"] as? String)
            return seen.count == 2
        }
        thing.setValue("a", forKey: "name")
        thing.setValue("b", forKey: "name")
        waitForExpectations(timeout: 0)
        thing.setValue("c", forKey: "name")
        XCTAssertEqual(seen, ["a", "b"])
    }

    func testActivitiesGiveTheirResult() {
        XCTAssertEqual(XCTContext.runActivity(named: "adding") { $0.name + "!" }, "adding!")
    }

    func testMeasuringRunsTheBlock() {
        var count = 0
        measure(metrics: [XCTClockMetric(), XCTMemoryMetric()]) { count += 1 }
        XCTAssertGreaterThan(count, 0)
    }
}
