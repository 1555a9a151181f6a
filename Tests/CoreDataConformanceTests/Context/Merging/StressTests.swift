import CoreData
import TestSupport
import XCTest

/// Eight threads insert, update and delete in 200 saves each, while the main context merges them
/// and a results controller lists what main knows. At the end all agree on every row.
final class StressTests: XCTestCase {
    private static let threadCount = 8
    private static let saveCount = 200

    func testMainAFreshContextAndTheFileAgreeAfterConcurrentSaves() throws {
        try run(.sqlite)
    }

    func testMainAndAFreshContextAgreeAfterConcurrentSavesInMemory() throws {
        try run(.inMemory)
    }

    private func run(_ kind: StoreKind) throws {
        let stack = try TestStack(kind)
        let main = stack.makeMainContext()
        let everyone = try controller(main, nil), adults = try controller(main, "age >= 50")
        let mirror = ListMirror(), listener = Listener()
        everyone.delegate = mirror
        adults.delegate = listener
        mirror.start(everyone)
        let merges = Merges()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: nil,
            queue: nil
        ) { notification in
            guard let source = notification.object as? NSManagedObjectContext, source !== main,
                source.persistentStoreCoordinator === main.persistentStoreCoordinator
            else { return }
            nonisolated(unsafe) let notification = notification
            merges.posted.add(1)
            DispatchQueue.main.async {
                main.mergeChanges(fromContextDidSave: notification)
                merges.merged.add(1)
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let failures = Counter()
        let finished = (0..<Self.threadCount).map { expectation(description: "thread \($0)") }
        for (index, expectation) in finished.enumerated() {
            let coordinator = stack.coordinator
            let worker = Thread {
                do {
                    try Worker(index, coordinator).run(saves: Self.saveCount)
                } catch {
                    print("A worker failed: \(error)")
                    failures.add(1)
                }
                expectation.fulfill()
            }
            worker.stackSize = 512 * 1024
            worker.start()
        }
        wait(for: finished, timeout: 540)
        let drained = expectation(description: "main has merged all")
        DispatchQueue.main.async { drained.fulfill() }
        wait(for: [drained], timeout: patience)
        XCTAssertEqual(failures.value, 0)
        XCTAssertEqual(merges.merged.value, merges.posted.value)
        XCTAssertEqual(merges.posted.value, Self.threadCount * Self.saveCount)

        let known = Self.lines(everyone.fetchedObjects ?? [])
        let fresh = stack.makeContext()
        let stored = try fresh.onQueue {
            Self.lines(try fresh.all("Person", sortedBy: "name"))
        }
        XCTAssertFalse(stored.isEmpty)
        XCTAssertEqual(known, stored)
        XCTAssertEqual(Self.lines(try main.fetch(everyone.fetchRequest)), stored)
        XCTAssertEqual(adults.fetchedObjects, try main.fetch(adults.fetchRequest))
        XCTAssertEqual(mirror.sections.first?.objects, everyone.fetchedObjects)
        if kind == .sqlite { XCTAssertEqual(try Self.shellLines(stack.url), stored) }
        withExtendedLifetime((mirror, listener)) {}
    }

    private func controller(
        _ context: NSManagedObjectContext,
        _ format: String?
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        try controller.performFetch()
        return controller
    }

    private static func lines(_ people: [NSManagedObject]) -> [String] {
        people.map { person in
            let age = person.integer("age").map(String.init) ?? ""
            return
                "\(person.text("name") ?? "")|\(age)|\(person.one("department")?.text("name") ?? "")"
        }
    }

    /// The rows as the `sqlite3` shell reads them.
    private static func shellLines(_ url: URL) throws -> [String] {
        try SQLiteShell.rows(
            url,
            """
            SELECT p.ZNAME, p.ZAGE, d.ZNAME FROM ZPERSON p
            LEFT JOIN ZDEPARTMENT d ON d.Z_PK = p.ZDEPARTMENT ORDER BY p.ZNAME
            """
        )
    }
}

/// Makes a controller follow its context.
private final class Listener: NSObject, NSFetchedResultsControllerDelegate {}

private final class Merges: Sendable {
    let posted = Counter()
    let merged = Counter()
}

/// What one thread does, every second one of them with confinement contexts.
private struct Worker {
    private let index: Int
    private let coordinator: NSPersistentStoreCoordinator

    init(_ index: Int, _ coordinator: NSPersistentStoreCoordinator) {
        self.index = index
        self.coordinator = coordinator
    }

    func run(saves: Int) throws {
        var random = SplitMix(seed: UInt64(index))
        var context = try makeContext()
        for number in 0..<saves {
            if number % 10 == 0 { context = try makeContext() }
            let body = { try save(context, number, &random) }
            if index % 2 == 0 {
                try body()
            } else {
                try context.onQueue(body)
            }
        }
    }

    private func makeContext() throws -> NSManagedObjectContext {
        let type = NSManagedObjectContextConcurrencyType(rawValue: index % 2 == 0 ? 0 : 1)
        let context = NSManagedObjectContext(concurrencyType: try XCTUnwrap(type))
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        return context
    }

    /// Inserts a person, updates up to three of anyone's, and deletes one now and then.
    private func save(
        _ context: NSManagedObjectContext,
        _ number: Int,
        _ random: inout SplitMix
    ) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(format: "age < %d", Int.random(in: 0..<100, using: &random))
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
        request.fetchLimit = 5
        let people = try context.fetch(request)
        let new = context.make(
            "Person",
            [
                "name": "t\(index) \(1_000 + number)",
                "age": Int.random(in: 0..<100, using: &random),
            ]
        )
        if number % 20 == 0 {
            let department = context.make("Department", ["name": "d\(index) \(number)"])
            new.setValue(department, forKey: "department")
        } else {
            new.setValue(people.first?.value(forKey: "department"), forKey: "department")
        }
        for person in people.prefix(3) {
            person.setValue(Int.random(in: 0..<100, using: &random), forKey: "age")
        }
        if number % 3 == 0, let last = people.last { context.delete(last) }
        try context.save()
    }
}
