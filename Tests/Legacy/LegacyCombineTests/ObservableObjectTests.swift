import CoreData
import LegacyCombine
import TestSupport
import Testing

/// Notifications, published properties and managed objects.
@Suite struct ObservableObjectTests {
    private static let name = Notification.Name("ObservableObjectTests")

    private final class Model: ObservableObject {
        @Published var title = "a"
        @Published var count = 0
        var plain = 0
    }

    @Test func notificationsOfASenderAreSent() {
        let center = NotificationCenter(), sender = NSObject()
        var received = 0
        let subscription = center.publisher(for: Self.name, object: sender)
            .map { $0.object as AnyObject }
            .sink { if $0 === sender { received += 1 } }
        center.post(name: Self.name, object: sender)
        center.post(name: Self.name, object: NSObject())
        center.post(name: Notification.Name("other"), object: sender)
        #expect(received == 1)
        subscription.cancel()
        center.post(name: Self.name, object: sender)
        #expect(received == 1)
    }

    @Test func publishedPropertiesTellBeforeTheyChange() {
        let model = Model()
        var titles: [String] = [], states: [String] = []
        let subscriptions = [
            model.$title.sink { titles.append("\($0) at \(model.title)") },
            model.objectWillChange.sink { states.append("\(model.title)\(model.count)") },
        ]
        model.title = "b"
        model.count = 1
        model.plain = 1
        #expect(states == ["a0", "b0"])
        #expect(titles.first == "a at a")
        #expect(titles.count == 2)
        subscriptions.forEach { $0.cancel() }
    }

    @Test func assignedPropertiesFollow() {
        let model = Model()
        let subject = PassthroughSubject<String, Never>()
        subject.assign(to: &model.$title)
        subject.send("c")
        #expect(model.title == "c")
        let object = Model()
        let subscription = subject.map(\.count).assign(to: \.plain, on: object)
        subject.send("four")
        #expect(object.plain == 4)
        subscription.cancel()
    }

    @Test func savesAreSent() throws {
        try withPerson { context, _ in
            var saved: [Int] = []
            let subscription = NotificationCenter.default
                .publisher(for: .NSManagedObjectContextDidSave, object: context)
                .sink { note in
                    let inserted = note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
                    saved.append(inserted?.count ?? 0)
                }
            let song = NSEntityDescription.insertNewObject(forEntityName: "Song", into: context)
            song.setValue("Blue", forKey: "title")
            try context.save()
            #expect(saved == [1])
            subscription.cancel()
        }
    }

    @Test func managedObjectsTellBeforeTheyChange() throws {
        try withPerson { context, person in
            var names: [String] = []
            let subscription = person.objectWillChange.sink {
                names.append(person.value(forKey: "name") as? String ?? "nil")
            }
            person.setValue("Grace", forKey: "name")
            person.setValue(40, forKey: "age")
            #expect(names == ["Ada", "Grace"])
            subscription.cancel()
            person.setValue(41, forKey: "age")
            #expect(names.count == 2)
        }
    }

    /// A merge and a refresh are told when the new values can be read.
    @Test func managedObjectsTellOfMergedValues() throws {
        let stack = try TestStack(.sqlite)
        let first = stack.makeContext(), second = stack.makeContext()
        let (person, subscription, names) = try first.performAndWait {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: first)
            person.setValue("Ada", forKey: "name")
            try first.save()
            let names = Names()
            let subscription = person.objectWillChange.sink {
                names.all.append(person.value(forKey: "name") as? String ?? "nil")
            }
            return (person, subscription, names)
        }
        let id = person.objectID
        second.performAndWait {
            second.object(with: id).setValue("Grace", forKey: "name")
        }
        var saved: Notification?
        let observation = NotificationCenter.default
            .publisher(for: .NSManagedObjectContextDidSave, object: second)
            .sink { saved = $0 }
        try second.performAndWait { try second.save() }
        let notification = try #require(saved)
        first.onQueue {
            first.mergeChanges(fromContextDidSave: notification)
            #expect(names.all.last == "Grace")
            #expect(!names.all.contains("Ada"))
        }
        observation.cancel()
        subscription.cancel()
    }

    private final class Names: @unchecked Sendable {
        // @unchecked: for one queue.
        var all: [String] = []
    }

    private func withPerson(
        _ body: (NSManagedObjectContext, NSManagedObject) throws -> Void
    ) throws {
        let stack = try TestStack(.inMemory)
        let context = stack.makeContext()
        try context.onQueue {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue("Ada", forKey: "name")
            try context.save()
            try body(context, person)
        }
    }
}
