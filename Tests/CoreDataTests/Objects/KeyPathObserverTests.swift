import Foundation
import TestSupport
import Testing

@testable import CoreData

private func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
    let stack = try TestStack(.inMemory, model: SampleModel.make())
    let context = stack.makeContext()
    try withExtendedLifetime(stack) { try context.onQueue { try body(context) } }
}

private func make(
    _ entity: String,
    _ name: String,
    in context: NSManagedObjectContext
) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValue(name, forKey: "name")
    return object
}

/// Key-value observing by the names of key paths.
@Suite struct KeyPathObserverTests {
    /// Notes what it is told, and passes on what it does not know.
    private final class Watcher: NSObject, KeyValueObserver {
        var told: [String] = []
        /// Nobody reads what is there; the address counts.
        let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        deinit { context.deallocate() }

        func observeValue(
            forKeyPath keyPath: String?,
            of object: Any?,
            change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            guard context == self.context else {
                return super.observeValue(
                    forKeyPath: keyPath,
                    of: object,
                    change: change,
                    context: context
                )
            }
            let old = change?[.oldKey].map { "\($0)" } ?? "-"
            let new = change?[.newKey].map { "\($0)" } ?? "-"
            let isPrior = change?[.notificationIsPriorKey] as? Bool == true
            let kind = change?[.kindKey] as? UInt
            #expect(kind == NSKeyValueChange.setting.rawValue)
            told.append("\(isPrior ? "prior " : "")\(keyPath ?? "nil"): \(old) > \(new)")
        }
    }

    @Test(
        arguments: [
            ([], ["name: - > -"]), ([.new], ["name: - > B"]), ([.old, .new], ["name: A > B"]),
            ([.initial, .new], ["name: - > A", "name: - > B"]),
            ([.prior, .old, .new], ["prior name: A > -", "name: A > B"]),
        ] as [(NSKeyValueObservingOptions, [String])]
    )
    func observersAreToldWhatTheyAskFor(
        options: NSKeyValueObservingOptions,
        expected: [String]
    ) throws {
        try withContext { context in
            let person = make("Person", "A", in: context), watcher = Watcher()
            person.addObserver(
                watcher,
                forKeyPath: "name",
                options: options,
                context: watcher.context
            )
            person.setValue("B", forKey: "name")
            person.removeObserver(watcher, forKeyPath: "name", context: watcher.context)
            person.setValue("C", forKey: "name")
            #expect(watcher.told == expected)
        }
    }

    /// Ends with what it is told first.
    private final class OneShot: NSObject, KeyValueObserver {
        var count = 0

        func observeValue(
            forKeyPath keyPath: String?,
            of object: Any?,
            change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            count += 1
            (object as? NSManagedObject)?.removeObserver(self, forKeyPath: keyPath ?? "")
        }
    }

    @Test func anObserverMayRemoveItselfWhenItIsToldAtTheBeginning() throws {
        try withContext { context in
            let person = make("Person", "A", in: context), observer = OneShot()
            person.addObserver(observer, forKeyPath: "name", options: .initial, context: nil)
            person.setValue("B", forKey: "name")
            #expect(observer.count == 1)
            let rest = KeyPathRegistration.all.withLock { $0[ObjectIdentifier(person)] }
            #expect(rest == nil)
        }
    }

    @Test func nilIsNull() throws {
        try withContext { context in
            let person = make("Person", "A", in: context), watcher = Watcher()
            person.addObserver(
                watcher,
                forKeyPath: "department.name",
                options: [.old, .new],
                context: watcher.context
            )
            let department = make("Department", "D", in: context)
            person.setValue(department, forKey: "department")
            department.setValue("E", forKey: "name")
            #expect(
                watcher.told == ["department.name: <null> > D", "department.name: D > E"]
            )
            person.removeObserver(watcher, forKeyPath: "department.name")
        }
    }

    @Test func observersAreNotKept() throws {
        try withContext { context in
            let person = make("Person", "A", in: context)
            var watcher: Watcher? = Watcher()
            weak let gone = watcher
            person.addObserver(watcher!, forKeyPath: "name", context: watcher?.context)
            watcher = nil
            #expect(gone == nil)
            person.setValue("B", forKey: "name")
        }
    }

    @Test func nothingIsKeptOfAnObjectWhoseLastObserverIsRemoved() throws {
        try withContext { context in
            let person = make("Person", "A", in: context), watcher = Watcher()
            func count() -> Int? {
                KeyPathRegistration.all.withLock { $0[ObjectIdentifier(person)]?.count }
            }
            person.addObserver(watcher, forKeyPath: "name", context: watcher.context)
            person.addObserver(watcher, forKeyPath: "age", context: watcher.context)
            person.removeObserver(watcher, forKeyPath: "name")
            #expect(count() == 1)
            person.removeObserver(watcher, forKeyPath: "age")
            #expect(count() == nil)
        }
    }

    /// An observer that has something observed itself, and ends that at its own end.
    private final class Follower: NSObject, KeyValueObserver, @unchecked Sendable {
        private let own: NSManagedObject
        private let watcher = Watcher()

        init(_ entity: NSEntityDescription) {
            own = NSManagedObject(entity: entity, insertInto: nil)
            super.init()
            own.addObserver(watcher, forKeyPath: "name", context: watcher.context)
        }

        deinit { own.removeObserver(watcher, forKeyPath: "name") }

        func observeValue(
            forKeyPath keyPath: String?,
            of object: Any?,
            change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {}
    }

    /// Whoever looks at an observer that is held weakly may have its last reference: it must not end
    /// behind the list's lock.
    @Test func observersMayEndWhileOthersAreRemoved() async {
        await #expect(processExitsWith: .success) {
            let isDone = Locked(false), latest = Locked<Follower?>(nil)
            let users = DispatchGroup()
            DispatchQueue.global().async(group: users) {
                while !isDone.withLock({ $0 }) {
                    // Ends here, outside of this lock, or with whoever looks at it.
                    _ = latest.withLock { latest -> Follower? in
                        defer { latest = nil }
                        return latest
                    }
                }
            }
            DispatchQueue.global().async(group: users) {
                defer { isDone.withLock { $0 = true } }
                let model = SampleModel.make()
                guard let entity = model.entitiesByName["Person"] else { return }
                // Fewer where the machine is busy.
                let end = ContinuousClock.now + .seconds(2)
                for _ in 0..<1_000 where ContinuousClock.now < end {
                    let person = NSManagedObject(entity: entity, insertInto: nil)
                    let watchers = (0..<20).map { _ in Watcher() }
                    for watcher in watchers {
                        person.addObserver(watcher, forKeyPath: "name", context: nil)
                    }
                    do {
                        let follower = Follower(entity)
                        person.addObserver(follower, forKeyPath: "name", context: nil)
                        latest.withLock { $0 = follower }
                    }
                    // Each of them stands before the follower, which is looked at first.
                    for watcher in watchers { person.removeObserver(watcher, forKeyPath: "name") }
                }
                withExtendedLifetime(model) {}
            }
            guard users.wait(timeout: .now() + 240) == .success else {
                fatalError("The list of observers waits for itself.")
            }
        }
    }

    /// What watches for an observer goes with the observer or with the object.
    @Test func nothingIsLeftOfObservers() throws {
        weak var removed: KeyPathRegistration?, ended: KeyPathRegistration?
        try withContext { context in
            let watcher = Watcher()
            func added(to object: NSManagedObject) -> KeyPathRegistration? {
                object.addObserver(watcher, forKeyPath: "name", context: watcher.context)
                return KeyPathRegistration.all.withLock { $0[ObjectIdentifier(object)]?.last }
            }
            do {
                let person = make("Person", "A", in: context)
                removed = added(to: person)
                #expect(removed != nil)
                person.removeObserver(watcher, forKeyPath: "name")
            }
            #expect(removed == nil)
            ended = added(to: NSManagedObject(entity: try entity(context), insertInto: nil))
        }
        #expect(ended == nil)
    }

    private func entity(_ context: NSManagedObjectContext) throws -> NSEntityDescription {
        try #require(NSEntityDescription.entity(forEntityName: "Person", in: context))
    }

    @Test func removingAStrangerStops() async {
        await #expect(processExitsWith: .failure) {
            try withContext { context in
                let person = make("Person", "A", in: context)
                person.removeObserver(Watcher(), forKeyPath: "name")
            }
        }
    }
}
