import CoreData
import TestSupport
import Testing

/// Subclasses that stand for what only the framework makes, as tests of clients have them.
@Suite struct StandInTests {
    @Test func anObjectIDMayBeAStandIn() {
        let id = StandInID(name: "first")
        #expect(id.uriRepresentation().path == "/stand-in/first")
        #expect(Set([id, StandInID(name: "second"), id]).count == 2)
    }

    @Test func aResultsControllerMayBeAStandIn() throws {
        try withContext(.inMemory) { context in
            let tag = context.make("Tag", ["label": "a"])
            let controller = StandInController(objects: [tag])
            #expect(controller.fetchedObjects == [tag])
        }
    }

    @Test func historyMayBeAStandIn() {
        let change = StandInChange(number: 7)
        let transaction = StandInTransaction(changes: [change])
        #expect(transaction.changes?.map(\.changeID) == [7])
        #expect(transaction.author == "stand-in")
    }
}

private final class StandInID: NSManagedObjectID, @unchecked Sendable {
    private let name: String
    init(name: String) {
        self.name = name
        super.init()
    }
    override func uriRepresentation() -> URL { URL(fileURLWithPath: "/stand-in/\(name)") }
    override var hash: Int { name.hashValue }
    override func isEqual(_ object: Any?) -> Bool { (object as? StandInID)?.name == name }
}

private final class StandInController: NSFetchedResultsController<NSManagedObject> {
    private let objects: [NSManagedObject]
    init(objects: [NSManagedObject]) {
        self.objects = objects
        super.init()
    }
    override var fetchedObjects: [NSManagedObject]? { objects }
}

private final class StandInChange: NSPersistentHistoryChange, @unchecked Sendable {
    private let number: Int64
    init(number: Int64) {
        self.number = number
        super.init()
    }
    override var changeID: Int64 { number }
}

private final class StandInTransaction: NSPersistentHistoryTransaction, @unchecked Sendable {
    private let standIns: [NSPersistentHistoryChange]
    init(changes: [NSPersistentHistoryChange]) {
        standIns = changes
        super.init()
    }
    override var changes: [NSPersistentHistoryChange]? { standIns }
    override var author: String? { "stand-in" }
}
