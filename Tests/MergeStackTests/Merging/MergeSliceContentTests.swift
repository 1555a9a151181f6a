import CoreData
import StackSupport
import TestSupport
import XCTest

@testable import MergeStack

/// What main shows of a save that is merged in slices. A turn has no time for more than one of them.
final class MergeSliceContentTests: XCTestCase {
    /// A store of 300 people in department A, and none in department B.
    private final class Office {
        let stack: TestStack
        let main: NSManagedObjectContext
        let worker: NSManagedObjectContext
        let merger: DidSaveMerger
        let reports: Log<MergeReport>

        init(_ kind: StoreKind) throws {
            stack = try TestStack(kind)
            main = stack.makeMainContext()
            worker = stack.makeContext("worker")
            let reports = Log<MergeReport>()
            self.reports = reports
            var options = MergeOptions { reports.append($0) }
            options.turnBudget = .zero
            merger = DidSaveMerger(into: main, options: options)
            try save { worker in
                let department = Self.make("Department", "A", in: worker)
                _ = Self.make("Department", "B", in: worker)
                for number in 0..<300 {
                    let person = Self.make("Person", "\(1_000 + number)", in: worker)
                    person.setValue(department, forKey: "department")
                }
            }
            merger.waitUntilSettled()
        }

        static func make(
            _ entity: String,
            _ name: String,
            in context: NSManagedObjectContext
        ) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(name, forKey: entity == "Tag" ? "label" : "name")
            return object
        }

        static func all(
            _ entity: String,
            in context: NSManagedObjectContext
        ) throws -> [NSManagedObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            let key = entity == "Tag" ? "label" : "name"
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
            return try context.fetch(request)
        }

        /// Has the worker change something and save it.
        func save(_ body: (NSManagedObjectContext) throws -> Void) throws {
            try worker.onQueue {
                try body(worker)
                try worker.save()
                worker.reset()
            }
        }
    }

    private func names(_ objects: Any?) -> [String] {
        (objects as? Set<NSManagedObject> ?? [])
            .compactMap { $0.value(forKey: "name") as? String }.sorted()
    }

    /// Lets the main queue run until another save is merged, and looks at what main shows meanwhile.
    private func mergeInTurns(_ office: Office, _ look: () -> Void) throws {
        let count = office.merger.statistics.mergeCount
        for _ in 0..<1_000 where office.merger.statistics.mergeCount == count {
            turnMainQueue()
            look()
        }
        let report = try XCTUnwrap(office.reports.all.last)
        XCTAssertGreaterThan(report.sliceCount, 4)
        office.main.checkConsistency()
    }

    func testSlicesBringBothEndsOfRelationships() throws {
        for kind in StoreKind.large {
            let office = try Office(kind)
            let departments = try Office.all("Department", in: office.main)
            let people = try Office.all("Person", in: office.main)
            XCTAssertEqual(departments.map { names($0.value(forKey: "people")).count }, [300, 0])
            try office.save { worker in
                let departments = try Office.all("Department", in: worker)
                let people = try Office.all("Person", in: worker)
                for person in people[..<100] {
                    person.setValue(departments[1], forKey: "department")
                }
                for (index, person) in people[100..<200].enumerated() {
                    person.setValue("renamed \(index)", forKey: "name")
                }
                let tag = Office.make("Tag", "t", in: worker)
                tag.setValue(NSSet(array: Array(people[90..<110])), forKey: "people")
                for person in people[200..<260] { worker.delete(person) }
                for number in 0..<150 {
                    let person = Office.make("Person", "new \(1_000 + number)", in: worker)
                    person.setValue(departments[1], forKey: "department")
                }
            }
            try mergeInTurns(office) {
                for department in departments { _ = names(department.value(forKey: "people")) }
                for person in people where !person.isDeleted {
                    _ = person.value(forKeyPath: "department.name")
                }
            }
            XCTAssertEqual(people.filter(\.isDeleted), Array(people[200..<260]))
            XCTAssertTrue(
                people[..<100].allSatisfy {
                    $0.value(forKey: "department") as? NSManagedObject === departments[1]
                }
            )
            XCTAssertEqual(people[100].value(forKey: "name") as? String, "renamed 0")
            let tags = try Office.all("Tag", in: office.main)
            XCTAssertEqual((tags.first?.value(forKey: "people") as? NSSet)?.count, 20)
            let fresh = office.stack.makeContext()
            let saved = try fresh.onQueue {
                try Office.all("Department", in: fresh).map { names($0.value(forKey: "people")) }
            }
            XCTAssertEqual(departments.map { names($0.value(forKey: "people")) }, saved)
            XCTAssertEqual(saved.map(\.count), [140, 250])
        }
    }

    /// A batch request that main has not heard of yet has taken them out of all caches meanwhile.
    func testSlicesBringTheirRows() throws {
        let office = try Office(.sqlite)
        let people = try Office.all("Person", in: office.main)
        XCTAssertEqual(people.compactMap { $0.value(forKey: "name") as? String }.count, 300)
        try office.save { worker in
            for person in try Office.all("Person", in: worker) { person.setValue(7, forKey: "age") }
        }
        try office.worker.onQueue {
            let request = NSBatchUpdateRequest(entityName: "Person")
            request.propertiesToUpdate = ["height": 2]
            _ = try office.worker.execute(request)
        }
        try mergeInTurns(office) {}
        XCTAssertEqual(people.count(where: \.isFault), 0)
        XCTAssertTrue(people.allSatisfy { $0.value(forKey: "age") as? Int == 7 })
    }
}
