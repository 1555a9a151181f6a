import CoreData
import TestSupport
import Testing

/// Applies what a results controller reports to a copy of the list that it had before, and writes
/// it down.
final class ListMirror: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var sections: [(name: String, objects: [NSManagedObject])] = []
    private(set) var events: [String] = []
    private var deletedSections: [Int] = []
    private var insertedSections: [(Int, String)] = []
    private var removed: [IndexPath] = []
    private var added: [(IndexPath, NSManagedObject)] = []

    func start(_ controller: NSFetchedResultsController<NSManagedObject>) {
        sections = Self.content(controller)
        events = []
    }

    static func content(
        _ controller: NSFetchedResultsController<NSManagedObject>
    ) -> [(name: String, objects: [NSManagedObject])] {
        (controller.sections ?? []).map { ($0.name, $0.objects as? [NSManagedObject] ?? []) }
    }

    func clear() { events = [] }

    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        events.append("will")
        (deletedSections, insertedSections, removed, added) = ([], [], [], [])
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        events.append("\(type == .insert ? "+" : "-")section \(sectionIndex)")
        if type == .insert {
            insertedSections.append((sectionIndex, sectionInfo.name))
        } else {
            deletedSections.append(sectionIndex)
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else { return }
        func text(_ path: IndexPath?) -> String { path.map { "\($0.section).\($0.row)" } ?? "" }
        switch type {
        case .insert: events.append("+\(text(newIndexPath))")
        case .delete: events.append("-\(text(indexPath))")
        case .move: events.append("\(text(indexPath))>\(text(newIndexPath))")
        case .update: events.append("!\(text(indexPath))")
        @unknown default: break
        }
        guard type != .update else { return }
        if let indexPath { removed.append(indexPath) }
        if let newIndexPath { added.append((newIndexPath, object)) }
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        events.append("did")
        for path in removed.sorted(by: >) { sections[path.section].objects.remove(at: path.row) }
        for index in deletedSections.sorted(by: >) {
            #expect(sections[index].objects.isEmpty, "a section was deleted before its objects")
            sections.remove(at: index)
        }
        for (index, name) in insertedSections.sorted(by: { $0.0 < $1.0 }) {
            sections.insert((name, []), at: index)
        }
        for (path, object) in added.sorted(by: { $0.0 < $1.0 }) {
            sections[path.section].objects.insert(object, at: path.row)
        }
    }
}

@Suite struct ResultsControllerTests {
    private func controller(
        _ context: NSManagedObjectContext,
        _ format: String? = nil,
        sections: String? = nil,
        sorted keys: [String] = ["age"]
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        return NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: sections,
            cacheName: nil
        )
    }

    /// People p0…p4 with ages 0, 10, …, 40, in a list of those of age 10 and more.
    private func withList(
        _ kind: StoreKind,
        _ body: (
            NSManagedObjectContext, [NSManagedObject], NSFetchedResultsController<NSManagedObject>,
            ListMirror
        ) throws -> Void
    ) throws {
        try withContext(kind) { context in
            let people = (0..<5).map { context.make("Person", ["name": "p\($0)", "age": $0 * 10]) }
            try context.save()
            let controller = controller(context, "age >= 10")
            let mirror = ListMirror()
            controller.delegate = mirror
            try controller.performFetch()
            mirror.start(controller)
            try body(context, people, controller, mirror)
            withExtendedLifetime(mirror) {}
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theListIsThatOfTheRequest(kind: StoreKind) throws {
        try withList(kind) { context, people, controller, _ in
            #expect(controller.fetchedObjects == Array(people[1...]))
            #expect(controller.sections?.count == 1)
            #expect(controller.sections?.first?.numberOfObjects == 4)
            #expect(controller.object(at: IndexPath(row: 1, section: 0)) === people[2])
            #expect(controller.indexPath(forObject: people[2]) == IndexPath(row: 1, section: 0))
            #expect(controller.indexPath(forObject: people[0]) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func anInsertionThatIsDeletedAndRolledBackLeavesTheList(
        kind: StoreKind,
        isProcessed: Bool
    ) throws {
        try withList(kind) { context, people, controller, mirror in
            let new = context.make("Person", ["name": "new", "age": 15])
            context.processPendingChanges()
            #expect(controller.fetchedObjects?.contains(new) == true)
            context.delete(new)
            if isProcessed { context.processPendingChanges() }
            context.rollback()
            #expect(controller.fetchedObjects == Array(people[1...]))
            #expect(mirror.sections.map(\.objects) == [Array(people[1...])])
            #expect(!context.hasChanges && new.managedObjectContext == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changesAreReportedWithTheirPlaces(kind: StoreKind) throws {
        try withList(kind) { context, people, controller, mirror in
            context.make("Person", ["name": "new", "age": 25])
            context.processPendingChanges()
            #expect(mirror.events == ["will", "+0.2", "did"])
            mirror.clear()
            try context.save()
            mirror.clear()
            context.delete(people[1])
            context.processPendingChanges()
            #expect(mirror.events == ["will", "-0.0", "did"])
            mirror.clear()
            people[2].setValue("changed", forKey: "name")
            context.processPendingChanges()
            #expect(mirror.events == ["will", "!0.0", "did"])
            mirror.clear()
            people[2].setValue(100, forKey: "age")
            context.processPendingChanges()
            #expect(mirror.events == ["will", "0.0>0.3", "did"])
            mirror.clear()
            people[2].setValue(1, forKey: "age")
            people[0].setValue(11, forKey: "age")
            context.processPendingChanges()
            #expect(mirror.events == ["will", "-0.3", "+0.0", "did"])
            #expect(mirror.sections.first?.objects == controller.fetchedObjects)
            mirror.clear()
            context.make("Tag")
            context.make("Person", ["name": "young", "age": 1])
            context.processPendingChanges()
            #expect(mirror.events.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anEmptyListOfSortDescriptorsIsTaken(kind: StoreKind) throws {
        try withContext(kind) { context in
            let people = ["b", "a", "c"].map { context.make("Person", ["name": $0]) }
            try context.save()
            let controller = controller(context, sorted: [])
            let mirror = ListMirror()
            controller.delegate = mirror
            try controller.performFetch()
            mirror.start(controller)
            #expect(Set(controller.fetchedObjects ?? []) == Set(people))
            let new = context.make("Person", ["name": "a"])
            context.delete(people[0])
            context.processPendingChanges()
            #expect(Set(controller.fetchedObjects ?? []) == [people[1], people[2], new])
            #expect(mirror.sections.map(\.objects) == [controller.fetchedObjects ?? []])
            withExtendedLifetime(mirror) {}
        }
    }

    @Test(arguments: StoreKind.allCases)
    func sectionsComeAndGo(kind: StoreKind) throws {
        try withContext(kind) { context in
            let a = context.make("Person", ["name": "a", "age": 1])
            let b = context.make("Person", ["name": "b", "age": 2])
            try context.save()
            let controller = controller(context, sections: "name", sorted: ["name", "age"])
            let mirror = ListMirror()
            controller.delegate = mirror
            try controller.performFetch()
            mirror.start(controller)
            #expect(controller.sections?.map(\.name) == ["a", "b"])
            let c = context.make("Person", ["name": "c", "age": 3])
            context.processPendingChanges()
            #expect(mirror.events == ["will", "+section 2", "+2.0", "did"])
            mirror.clear()
            context.delete(a)
            context.processPendingChanges()
            #expect(mirror.events == ["will", "-section 0", "-0.0", "did"])
            mirror.clear()
            c.setValue("b", forKey: "name")
            context.processPendingChanges()
            #expect(mirror.events == ["will", "-section 1", "1.0>0.1", "did"])
            #expect(controller.sections?.map(\.numberOfObjects) == [2])
            #expect(controller.fetchedObjects == [b, c])
            withExtendedLifetime(mirror) {}
        }
    }

    @Test(arguments: StoreKind.allCases)
    func mergesAreReported(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let controller = controller(context, "age >= 10")
                let mirror = ListMirror()
                controller.delegate = mirror
                try controller.performFetch()
                mirror.start(controller)
                func merge(_ body: (NSManagedObjectContext) throws -> Void) throws {
                    mirror.clear()
                    context.mergeChanges(fromContextDidSave: try didSave(of: other, body))
                }
                try merge { context in
                    for index in 0..<4 {
                        context.make("Person", ["name": "p\(index)", "age": index * 10])
                    }
                }
                #expect(mirror.events == ["will", "+0.0", "+0.1", "+0.2", "did"])
                try merge { try $0.all("Person", sortedBy: "age")[1].setValue("x", forKey: "name") }
                #expect(mirror.events == ["will", "!0.0", "did"])
                context.refreshAllObjects()
                // Not registered here, and into the list.
                try merge { try $0.all("Person", sortedBy: "age")[0].setValue(15, forKey: "age") }
                try merge { try $0.all("Person", sortedBy: "age")[0].setValue(1, forKey: "age") }
                #expect(mirror.events == ["will", "-0.0", "did"])
                try merge { $0.delete(try $0.all("Person", sortedBy: "age")[1]) }
                try controller.performFetch()
                #expect(
                    controller.fetchedObjects
                        == (try context.all(
                            "Person",
                            sortedBy: "age",
                            where: NSPredicate(format: "age >= 10")
                        ))
                )
                withExtendedLifetime(mirror) {}
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aResetEmptiesTheListUntilTheNextFetch(kind: StoreKind) throws {
        try withList(kind) { context, _, controller, mirror in
            context.reset()
            #expect(controller.fetchedObjects?.isEmpty == true)
            #expect(mirror.events.isEmpty)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 4)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsDeletedBeforeAnOffsetMovesTheList(kind: StoreKind) throws {
        try withContext(kind) { context in
            for number in 0..<5 {
                context.make("Person", ["name": "p\(number)", "age": number])
            }
            try context.save()
            let controller = controller(context)
            controller.fetchRequest.fetchOffset = 2
            let mirror = ListMirror()
            controller.delegate = mirror
            try controller.performFetch()
            mirror.start(controller)
            let first = NSPredicate(format: "age == 0")
            context.delete(try #require(try context.all("Person", where: first).first))
            context.processPendingChanges()
            #expect(controller.fetchedObjects?.map { $0.text("name") } == ["p3", "p4"])
            #expect(mirror.sections.first?.objects == controller.fetchedObjects)
            withExtendedLifetime(mirror) {}
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aLimitHolds(kind: StoreKind) throws {
        try withContext(kind) { context in
            let people = (0..<6).map { context.make("Person", ["name": "p\($0)", "age": $0 * 10]) }
            try context.save()
            let controller = controller(context)
            controller.fetchRequest.fetchLimit = 3
            let mirror = ListMirror()
            controller.delegate = mirror
            try controller.performFetch()
            mirror.start(controller)
            #expect(controller.fetchedObjects == Array(people[..<3]))
            context.delete(people[0])
            context.processPendingChanges()
            #expect(controller.fetchedObjects == Array(people[1..<4]))
            #expect(mirror.sections.first?.objects == controller.fetchedObjects)
            context.make("Person", ["name": "new", "age": 5])
            context.processPendingChanges()
            #expect(controller.fetchedObjects?.count == 3)
            #expect(mirror.sections.first?.objects == controller.fetchedObjects)
            withExtendedLifetime(mirror) {}
        }
    }

    private static func names(_ sections: [[NSManagedObject]]) -> [[String]] {
        sections.map { $0.map { $0.text("name") ?? "?" } }
    }

    /// Random changes here and in another context whose saves are merged; after each event the
    /// reported changes must lead from the old list to the new one, and that must be what a fetch
    /// gives.
    @Test(
        arguments: StoreKind.allCases,
        [(sections: false, limit: 0), (true, 0), (false, 7), (true, 7)]
    )
    func reportedChangesLeadFromListToList(
        kind: StoreKind,
        shape: (sections: Bool, limit: Int)
    ) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            for each in [context, other] {
                each.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            }
            // What is not registered here is not merged, in Apple's framework neither.
            context.retainsRegisteredObjects = true
            var random = SplitMix(seed: 42)
            try context.onQueue {
                let controller = controller(
                    context,
                    "age < 80",
                    sections: shape.sections ? "height" : nil,
                    sorted: shape.sections ? ["height", "age", "name"] : ["age", "name"]
                )
                controller.fetchRequest.fetchLimit = shape.limit
                let mirror = ListMirror()
                controller.delegate = mirror
                try controller.performFetch()
                mirror.start(controller)
                var next = 0
                func change(_ context: NSManagedObjectContext) throws {
                    let people = try context.all("Person", sortedBy: "name")
                    for _ in 0...Int.random(in: 0..<6, using: &random) {
                        let kind = Int.random(in: 0..<10, using: &random)
                        if kind < 3 || people.isEmpty {
                            next += 1
                            context.make(
                                "Person",
                                [
                                    "name": "n\(10_000 + next)",
                                    "age": Int.random(in: 0..<100, using: &random),
                                    "height": Double(Int.random(in: 0..<4, using: &random)),
                                ]
                            )
                        } else if let person = people.randomElement(using: &random),
                            !person.isDeleted
                        {
                            switch kind {
                            case 3...4: context.delete(person)
                            case 5...6:
                                let age = Int.random(in: 0..<100, using: &random)
                                person.setValue(age, forKey: "age")
                            case 7...8:
                                let height = Double(Int.random(in: 0..<4, using: &random))
                                person.setValue(height, forKey: "height")
                            default: person.setValue(person.text("name"), forKey: "name")
                            }
                        }
                    }
                }
                for step in 0..<250 {
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0...5:
                        try change(context)
                        context.processPendingChanges()
                    case 6: try context.save()
                    case 7: context.rollback()
                    default:
                        try context.save()
                        let saved = try didSave(of: other) { other in
                            other.reset()
                            try change(other)
                        }
                        context.mergeChanges(fromContextDidSave: saved)
                    }
                    let list = ListMirror.content(controller)
                    let mirrored = Self.names(mirror.sections.map(\.objects))
                    let listed = Self.names(list.map(\.objects))
                    #expect(mirror.sections.map(\.name) == list.map(\.name), "step \(step)")
                    #expect(mirrored == listed, "step \(step)")
                    let fresh = Self.names([try context.fetch(controller.fetchRequest)])
                    #expect([Array(listed.joined())] == fresh, "step \(step)")
                    guard mirrored == listed, [Array(listed.joined())] == fresh else { return }
                }
                withExtendedLifetime(mirror) {}
            }
        }
    }
}
