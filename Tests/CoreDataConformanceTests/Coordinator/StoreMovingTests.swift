import CoreData
import TestSupport
import Testing

@Suite struct StoreMovingTests {
    private func fill(_ stack: TestStack) throws {
        let context = stack.makeContext()
        try context.onQueue {
            let maths = context.make("Department", ["name": "Maths"])
            let ada = context.make("Employee", ["name": "Ada", "department": maths, "salary": 3])
            let bob = context.make("Person", ["name": "Bob"])
            let tag = context.make("Tag", ["label": "t"])
            ada.setValue(Set([tag]), forKey: "tags")
            ada.setValue(Set([bob]), forKey: "friends")
            let list = context.make("Playlist", ["title": "l"])
            let songs = ["c", "a", "b"].map { context.make("Song", ["title": $0]) }
            list.setValue(NSOrderedSet(array: songs), forKey: "songs")
            try context.save()
        }
    }

    private func check(_ stack: TestStack) throws {
        let context = stack.makeContext()
        try context.onQueue {
            let ada = try context.only("Employee")
            #expect(ada.text("name") == "Ada" && ada.integer("salary") == 3)
            #expect(ada.one("department")?.text("name") == "Maths")
            #expect(ada.set("tags").map { $0.text("label") } == ["t"])
            #expect(ada.set("friends").map { $0.text("name") } == ["Bob"])
            #expect(ada.set("friends").first?.set("friends") == [ada])
            let songs = try context.only("Playlist").value(forKey: "songs") as? NSOrderedSet
            let titles = songs?.array.map { ($0 as? NSManagedObject)?.text("title") }
            #expect(titles == ["c", "a", "b"])
            context.make("Person", ["name": "new"])
            try context.save()
            let count = try context.number("Person")
            #expect(count == 3)
        }
    }

    @Test(arguments: StoreKind.local, StoreKind.local)
    func aStoreMigratesToAnotherPlaceAndType(from: StoreKind, to: StoreKind) throws {
        try withStack(from) { stack in
            try fill(stack)
            let coordinator = stack.coordinator
            let old = try #require(coordinator.persistentStores.first)
            let url = stack.url.deletingLastPathComponent().appendingPathComponent("New.sqlite")
            let new = try coordinator.migratePersistentStore(old, to: url, withType: to.type)
            #expect(coordinator.persistentStores == [new] && new.type == to.type)
            #expect(old.persistentStoreCoordinator == nil)
            try check(stack)
            if to.isFile {
                let error = caughtError {
                    try coordinator.migratePersistentStore(new, to: url, withType: to.type)
                }
                #expect(error?.code == NSPersistentStoreOpenError)
                #expect(coordinator.persistentStores == [new])
            }
        }
    }

    @Test(arguments: StoreKind.allCases.filter(\.isFile))
    func aStoreIsReplacedByACopyOfAnother(kind: StoreKind) throws {
        try withStack(kind) { stack in
            try fill(stack)
            let coordinator = stack.coordinator
            let url = stack.url.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
            try coordinator.replacePersistentStore(
                at: url,
                withPersistentStoreFrom: stack.url,
                ofType: kind.type
            )
            let store = try #require(coordinator.persistentStores.first)
            let unused = url.deletingLastPathComponent().appendingPathComponent("None.sqlite")
            #expect(!coordinator.setURL(unused, for: store))
            #expect(
                coordinator.setURL(url, for: store) && store.url?.lastPathComponent == "Copy.sqlite"
            )
            try check(stack)
            try coordinator.replacePersistentStore(
                at: url,
                withPersistentStoreFrom: stack.url,
                ofType: kind.type
            )
            #expect(coordinator.persistentStores.isEmpty)
            _ = try coordinator.addPersistentStore(
                ofType: kind.type,
                configurationName: nil,
                at: url
            )
            try check(stack)
        }
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test(arguments: StoreKind.allCases.filter(\.isFile))
    func typesOfLaterSystemsDoWhatTheirStringsDo(kind: StoreKind) throws {
        try withStack(kind) { stack in
            try fill(stack)
            let coordinator = stack.coordinator
            let type = NSPersistentStore.StoreType(rawValue: kind.type)
            let url = stack.url.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
            try coordinator.replacePersistentStore(
                at: url,
                withPersistentStoreFrom: stack.url,
                type: type
            )
            let old = try #require(coordinator.persistentStores.first)
            try coordinator.remove(old)
            let copy = try coordinator.addPersistentStore(type: type, at: url)
            try check(stack)
            try NSPersistentStoreCoordinator.setMetadata(["text": "a"], type: type, at: stack.url)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                type: type,
                at: stack.url
            )
            #expect(metadata["text"] as? String == "a")
            try coordinator.destroyPersistentStore(at: stack.url, type: type)
            let new = try coordinator.migratePersistentStore(copy, to: stack.url, type: type)
            #expect(coordinator.persistentStores == [new] && new.type == kind.type)
        }
    }
}
