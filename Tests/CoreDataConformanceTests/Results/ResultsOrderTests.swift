import CoreData
import TestSupport
import Testing

/// The order of a results controller's list while saves of others wait to be merged.
@Suite struct ResultsOrderTests {
    @Test(arguments: StoreKind.allCases)
    func savesThatWaitToBeMergedDontMisplaceOthers(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            writer.performAndWait {
                for name in ["a", "b", "c", "d", "e", "f", "g"] {
                    writer.make("Person", ["name": name])
                }
            }
            try writer.onQueue { try writer.save() }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request,
                managedObjectContext: reader,
                sectionNameKeyPath: nil,
                cacheName: nil
            )
            let mirror = ListMirror()
            try reader.onQueue {
                controller.delegate = mirror
                try controller.performFetch()
                mirror.start(controller)
            }
            // The second save moves d away from the middle, where a search for e5 begins.
            let saves = try [("g", "e5"), ("d", "z")].map { try rename($0, to: $1, in: writer) }
            reader.onQueue {
                for save in saves { reader.mergeChanges(fromContextDidSave: save) }
                let names = controller.fetchedObjects?.map { $0.value(forKey: "name") as? String }
                #expect(names == ["a", "b", "c", "e", "e5", "f", "z"])
            }
            withExtendedLifetime(mirror) {}
        }
    }

    /// The store has the new names, the objects that are held show the old ones.
    @Test(arguments: StoreKind.allCases, [0, 3])
    func aListFetchedWhileSavesWaitIsInOrderBeforeAndAfterTheyAreMerged(
        kind: StoreKind,
        batchSize: Int
    ) throws {
        try withStack(kind) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            try writer.onQueue {
                for name in ["a", "b", "c", "d", "e", "f", "g"] {
                    writer.make("Person", ["name": name])
                }
                try writer.save()
            }
            try reader.onQueue {
                let held = try reader.all("Person", sortedBy: "name")
                #expect(held.map { $0.text("name") } == ["a", "b", "c", "d", "e", "f", "g"])
                let saves = try [("b", "zz"), ("d", "aa"), ("f", "bb")].map {
                    try rename($0, to: $1, in: writer)
                }
                #expect(try reader.all("Person", sortedBy: "name") == held)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.fetchBatchSize = batchSize
                let (controller, mirror) = try list(request, by: ["name"], in: reader)
                func names() -> [String?] {
                    #expect(mirror.sections.map(\.objects) == [controller.fetchedObjects])
                    return controller.fetchedObjects?.map { $0.text("name") } ?? []
                }
                #expect(names() == ["a", "b", "c", "d", "e", "f", "g"])
                reader.make("Person", ["name": "c5"])
                reader.processPendingChanges()
                #expect(names() == ["a", "b", "c", "c5", "d", "e", "f", "g"])
                for save in saves { reader.mergeChanges(fromContextDidSave: save) }
                #expect(names() == ["a", "aa", "bb", "c", "c5", "e", "g", "zz"])
                withExtendedLifetime(held) {}
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [0, 5])
    func sectionsFetchedWhileSavesWaitStayWhole(kind: StoreKind, limit: Int) throws {
        try withStack(kind) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            try writer.onQueue {
                for index in 0..<9 {
                    writer.make("Person", ["name": "\(index)", "age": index / 3])
                }
                try writer.save()
            }
            try reader.onQueue {
                let held = try reader.all("Person", sortedBy: "name")
                #expect(held.map { $0.integer("age") } == [0, 0, 0, 1, 1, 1, 2, 2, 2])
                let saves = try [("1", 2), ("4", 0), ("7", 1)].map { name, age in
                    try didSave(of: writer) {
                        let predicate = NSPredicate(format: "name == %@", name)
                        try $0.all("Person", where: predicate).first?.setValue(age, forKey: "age")
                    }
                }
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.fetchLimit = limit
                let (controller, mirror) = try list(
                    request,
                    by: ["age", "name"],
                    sections: "age",
                    in: reader
                )
                func check() {
                    let names = controller.sections?.map(\.name) ?? []
                    #expect(names == Array(Set(names)).sorted())
                    #expect(mirror.sections.map(\.name) == names)
                    #expect(
                        mirror.sections.flatMap(\.objects) == controller.fetchedObjects ?? []
                    )
                    for section in mirror.sections {
                        #expect(
                            section.objects.allSatisfy {
                                $0.integer("age").map(String.init) == section.name
                            }
                        )
                    }
                }
                check()
                for save in saves {
                    reader.mergeChanges(fromContextDidSave: save)
                    check()
                }
                let expected = ["0", "2", "4", "3", "5", "7", "1", "6", "8"]
                let names = controller.fetchedObjects?.compactMap { $0.text("name") }
                #expect(names == Array(expected.prefix(limit > 0 ? limit : 9)))
                withExtendedLifetime(held) {}
            }
        }
    }

    /// The people are as they were; what they are sorted by is not.
    @Test(arguments: StoreKind.allCases)
    func aListSortedByRelatedValuesThatWaitToBeMergedIsInOrder(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            try writer.onQueue {
                for name in ["A", "B", "C"] {
                    let department = writer.make("Department", ["name": name])
                    for index in 0..<2 {
                        writer.make(
                            "Person",
                            ["name": "\(name)\(index)", "department": department]
                        )
                    }
                }
                try writer.save()
            }
            try reader.onQueue {
                let held = try reader.all("Department", sortedBy: "name")
                #expect(held.map { $0.text("name") } == ["A", "B", "C"])
                let saved = try didSave(of: writer) {
                    try $0.all("Department", sortedBy: "name")[0].setValue("Z", forKey: "name")
                    try $0.all("Person", sortedBy: "name")[0].setValue("Z0", forKey: "name")
                }
                let (controller, mirror) = try list(
                    NSFetchRequest<NSManagedObject>(entityName: "Person"),
                    by: ["department.name", "name"],
                    sections: "department.name",
                    in: reader
                )
                #expect(controller.sections?.map(\.name) == ["A", "B", "C"])
                func names() -> [String]? {
                    controller.fetchedObjects?.compactMap { $0.text("name") }
                }
                #expect(names() == ["A1", "Z0", "B0", "B1", "C0", "C1"])
                reader.make("Person", ["name": "B2", "department": held[1]])
                reader.processPendingChanges()
                #expect(names() == ["A1", "Z0", "B0", "B1", "B2", "C0", "C1"])
                // A change of a department alone is none of the list's, as on Apple's platforms.
                reader.mergeChanges(fromContextDidSave: saved)
                try controller.performFetch()
                #expect(names() == ["B0", "B1", "B2", "C0", "C1", "A1", "Z0"])
                withExtendedLifetime((held, mirror)) {}
            }
        }
    }

    private func list(
        _ request: NSFetchRequest<NSManagedObject>,
        by keys: [String],
        sections: String? = nil,
        in context: NSManagedObjectContext
    ) throws -> (NSFetchedResultsController<NSManagedObject>, ListMirror) {
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        let controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: sections,
            cacheName: nil
        )
        let mirror = ListMirror()
        controller.delegate = mirror
        try controller.performFetch()
        mirror.start(controller)
        return (controller, mirror)
    }

    /// Renames a person, saves, and gives the notification of it.
    private func rename(
        _ name: String,
        to other: String,
        in context: NSManagedObjectContext
    ) throws -> Notification {
        nonisolated(unsafe) var posted: Notification?
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: context,
            queue: nil
        ) { posted = $0 }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.onQueue {
            let predicate = NSPredicate(format: "name == %@", name)
            try #require(context.all("Person", where: predicate).first)
                .setValue(other, forKey: "name")
            try context.save()
        }
        return try #require(posted)
    }
}
