import CoreData
import TestSupport
import Testing

@Suite struct PrefetchTests {
    private func fill(_ context: NSManagedObjectContext) throws {
        let maths = context.make("Department", ["name": "Maths"])
        let tags = ["t0", "t1"].map { context.make("Tag", ["label": $0]) }
        for number in 0..<3 {
            let person = context.make("Person", ["name": "p\(number)", "department": maths])
            person.setValue(Set(tags.prefix(number)), forKey: "tags")
        }
        let playlist = context.make("Playlist", ["title": "list"])
        let songs = ["c", "a", "b"].map { context.make("Song", ["title": $0]) }
        playlist.setValue(NSOrderedSet(array: songs), forKey: "songs")
        try context.save()
        context.reset()
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsAreReadAlong(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                try fill(context)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.relationshipKeyPathsForPrefetching = ["department.people", "tags"]
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                let people = try context.fetch(request)
                #expect(people.allSatisfy { $0.isFault })
                let lists = NSFetchRequest<NSManagedObject>(entityName: "Playlist")
                lists.relationshipKeyPathsForPrefetching = ["songs"]
                let playlist = try #require(try context.fetch(lists).first)
                // What was read along can be read without a store.
                let coordinator = stack.coordinator
                try coordinator.remove(try #require(coordinator.persistentStores.first))
                #expect(people[2].one("department")?.text("name") == "Maths")
                #expect(people[0].one("department")?.set("people") == Set(people))
                #expect(people.map { $0.set("tags").count } == [0, 1, 2])
                #expect(Set(people[2].set("tags").map { $0.text("label") }) == ["t0", "t1"])
                let songs = playlist.value(forKey: "songs") as? NSOrderedSet
                let titles = songs?.array.map { ($0 as? NSManagedObject)?.text("title") }
                #expect(titles == ["c", "a", "b"])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedChangesStayOnTopOfWhatIsReadAlong(kind: StoreKind) throws {
        try withContext(kind) { context in
            try fill(context)
            let people = try context.all("Person", sortedBy: "name")
            let physics = context.make("Department", ["name": "Physics"])
            people[0].setValue(physics, forKey: "department")
            people[2].setValue(Set<NSManagedObject>(), forKey: "tags")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.relationshipKeyPathsForPrefetching = ["department", "tags"]
            _ = try context.fetch(request)
            #expect(people[0].one("department") === physics && people[2].set("tags").isEmpty)
            #expect(people[1].one("department")?.set("people") == Set(people[1...]))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anUnknownKeyPathThrows(kind: StoreKind) throws {
        try withContext(kind) { context in
            try fill(context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            for path in ["nothing", "name", "department.nothing"] {
                request.relationshipKeyPathsForPrefetching = [path]
                #expect(throws: (any Error).self) { try context.fetch(request) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsComeWithoutTheirValuesIfAskedFor(kind: StoreKind) throws {
        try withContext(kind) { context in
            try fill(context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.includesPropertyValues = false
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            let people = try context.fetch(request)
            #expect(people.allSatisfy { $0.isFault })
            #expect(people.map { $0.text("name") } == ["p2", "p1", "p0"])
            request.returnsObjectsAsFaults = false
            #expect(try context.fetch(request).allSatisfy { !$0.isFault })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRequestExecutesInTheContextOfTheBlock(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            #expect(throws: (any Error).self) { try request.execute() }
            // Contexts are told apart by the block entered last.
            let outer = stack.makeContext(), inner = stack.makeContext()
            try outer.onQueue {
                outer.make("Tag", ["label": "x"])
                let found = try request.execute()
                #expect(found.map(\.managedObjectContext) == [outer])
                try inner.onQueue {
                    let found = try request.execute()
                    #expect(found.isEmpty)
                }
            }
        }
    }
}
