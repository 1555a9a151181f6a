import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A merge of a did-save notification asks the store for nothing: relationships to many are read
/// again when they are asked for. The tables are away meanwhile, so that a statement would fail.
@Suite struct MergeStatementTests {
    private let stack: TestStack
    private let main: NSManagedObjectContext
    private let worker: NSManagedObjectContext
    private let editor: SQLiteConnection

    init() throws {
        stack = try TestStack(.sqlite)
        main = stack.makeContext("main")
        worker = stack.makeContext("worker")
        editor = try SQLiteConnection(ConnectionSettings(path: stack.url.path))
        try worker.onQueue {
            let sales = make("Department", ["name": "Sales"])
            let labs = make("Department", ["name": "Labs"])
            for (name, place) in [("Ann", sales), ("Bob", sales), ("Cleo", labs)] {
                _ = make("Person", ["name": name, "department": place])
            }
            try worker.save()
        }
    }

    private func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: worker)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    private func named(_ name: String, in context: NSManagedObjectContext) throws -> NSManagedObject
    {
        for entity in ["Person", "Department"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "name == %@", name)
            if let found = try context.fetch(request).first { return found }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    private func names(_ objects: Any?) -> Set<String?> {
        Set((objects as? Set<NSManagedObject> ?? []).map { $0.value(forKey: "name") as? String })
    }

    /// Saves changes of the worker, and merges them into main while the tables are away.
    ///
    /// - Parameter isWanted: Whether an object is to be merged; the others are taken out of the
    ///   notification.
    /// - Returns: What could not be read.
    private func merge(
        _ change: () throws -> Void,
        where isWanted: ((NSManagedObject) -> Bool)? = nil,
        _ check: () throws -> Void
    ) throws -> [String] {
        nonisolated(unsafe) var saved: [Notification] = []
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: worker,
            queue: nil
        ) { saved.append($0) }
        try worker.onQueue {
            try change()
            try worker.save()
        }
        NotificationCenter.default.removeObserver(token)
        var notification = try #require(saved.first)
        if let isWanted {
            for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                let objects = notification.userInfo?[key] as? Set<NSManagedObject> ?? []
                notification.userInfo?[key] = worker.onQueue { objects.filter(isWanted) }
            }
        }
        nonisolated(unsafe) var unreadable: [String] = []
        let main = main
        let reports = NotificationCenter.default.addObserver(
            forName: NSManagedObject.unreadableValueNotification,
            object: nil,
            queue: nil
        ) { notification in
            let object = notification.object as? NSManagedObject
            guard object?.managedObjectContext === main || notification.object as AnyObject === main
            else { return }
            let key = notification.userInfo?[NSManagedObject.unreadableValueKey] as? String
            unreadable.append(key ?? "row")
        }
        defer { NotificationCenter.default.removeObserver(reports) }
        try rename { "\($0) RENAME TO AWAY_\($0)" }
        try main.onQueue {
            main.mergeChanges(fromContextDidSave: notification)
            try check()
        }
        try rename { "\($0) RENAME TO \($0.dropFirst("AWAY_".count))" }
        return unreadable
    }

    /// Renames the tables of entities and their joins.
    private func rename(_ change: (String) -> String) throws {
        let statement = try editor.statement(
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND
            (name IN ('ZPERSON', 'ZDEPARTMENT', 'ZTAG') OR name GLOB 'Z_[0-9]*' OR name GLOB 'AWAY*')
            """
        )
        var tables: [String] = []
        while try statement.step() { tables.append(statement.text(0)) }
        statement.reset()
        for table in tables { try editor.execute("ALTER TABLE \(change(table))") }
    }

    private typealias All = (
        ann: NSManagedObject, bob: NSManagedObject, sales: NSManagedObject, labs: NSManagedObject
    )

    /// Two people, and two departments whose people main has read.
    private func readAll() throws -> All {
        try main.onQueue {
            let all = try ["Ann", "Bob", "Sales", "Labs"].map { try named($0, in: main) }
            for place in all.suffix(2) {
                #expect(!names(place.value(forKey: "people")).isEmpty)
            }
            return (all[0], all[1], all[2], all[3])
        }
    }

    @Test func insertedAndUpdatedRowsComeWithTheNotification() throws {
        let (ann, bob, sales, labs) = try readAll()
        let unreadable = try merge {
            let place = try named("Sales", in: worker)
            try named("Ann", in: worker).setValue("Anna", forKey: "name")
            try named("Bob", in: worker).setValue(
                try named("Labs", in: worker),
                forKey: "department"
            )
            _ = make("Person", ["name": "Dora", "department": place])
        } _: {
            #expect(ann.value(forKey: "name") as? String == "Anna")
            #expect(bob.value(forKey: "department") as? NSManagedObject === labs)
        }
        #expect(unreadable == [])
        main.onQueue {
            #expect(names(sales.value(forKey: "people")) == ["Anna", "Dora"])
            #expect(names(labs.value(forKey: "people")) == ["Bob", "Cleo"])
        }
    }

    /// The departments are not named, and are told all the same whom they have lost and won.
    @Test func aPartOfASaveNeedsNoStatement() throws {
        let (ann, bob, sales, labs) = try readAll()
        let unreadable = try merge {
            let labs = try named("Labs", in: worker)
            try named("Ann", in: worker).setValue("Anna", forKey: "name")
            try named("Bob", in: worker).setValue(labs, forKey: "department")
            _ = make("Person", ["name": "Dora", "department": labs])
        } where: {
            $0.value(forKey: "name") as? String == "Bob"
        } _: {
            #expect(ann.value(forKey: "name") as? String == "Ann")
            #expect(bob.value(forKey: "department") as? NSManagedObject === labs)
        }
        #expect(unreadable == [])
        main.onQueue {
            #expect(names(sales.value(forKey: "people")) == ["Ann"])
            #expect(names(labs.value(forKey: "people")) == ["Bob", "Cleo", "Dora"])
        }
    }

    @Test func deletedRowsNeedNoStatement() throws {
        let (cleo, labs) = try main.onQueue {
            let labs = try named("Labs", in: main)
            #expect(names(labs.value(forKey: "people")) == ["Cleo"])
            return (try named("Cleo", in: main), labs)
        }
        let unreadable = try merge {
            worker.delete(try named("Cleo", in: worker))
        } _: {
            #expect(cleo.isDeleted)
        }
        #expect(unreadable == [])
        main.onQueue { #expect(names(labs.value(forKey: "people")) == []) }
    }

    /// The department's people were never read here; the notification names those that went along.
    @Test func aCascadeThatOthersHaveSavedNeedsNoStatement() throws {
        let sales = try main.onQueue { try named("Sales", in: main) }
        let unreadable = try merge {
            worker.delete(try named("Sales", in: worker))
        } _: {
            main.processPendingChanges()
            #expect(sales.isDeleted)
        }
        #expect(unreadable == [])
    }
}
