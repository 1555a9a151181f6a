import CoreData
import TestSupport
import Testing

/// Applies differences to a list of its own.
private final class DifferenceDelegate: NSObject, NSFetchedResultsControllerDelegate {
    var list: [NSManagedObjectID] = []
    private(set) var differences: [CollectionDifference<NSManagedObjectID>] = []
    private(set) var steps = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        differences.append(diff)
        if let new = list.applying(diff) { list = new }
    }

    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        steps += 1
    }
}

/// Keeps what it is told of sections.
private final class SectionDelegate: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var infos: [any NSFetchedResultsSectionInfo] = []
    private(set) var events: [String] = []

    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        events.append("will")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        infos.append(sectionInfo)
        events.append("section")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        events.append("object")
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        events.append("did")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        "of \(sectionName)"
    }
}

/// Passes on what it hears, by methods that are optional in Apple's protocol.
private final class PassingDelegate: NSObject, NSFetchedResultsControllerDelegate {
    weak var next: (any NSFetchedResultsControllerDelegate)?

    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        next?.controllerWillChangeContent?(controller)
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        next?.controller?(
            controller,
            didChange: sectionInfo,
            atSectionIndex: sectionIndex,
            for: type
        )
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        next?.controller?(
            controller,
            didChange: anObject,
            at: indexPath,
            for: type,
            newIndexPath: newIndexPath
        )
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        next?.controllerDidChangeContent?(controller)
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        next?.controller?(controller, sectionIndexTitleForSectionName: sectionName)
    }
}

@Suite struct ResultsDelegateTests {
    private func controller(
        _ context: NSManagedObjectContext,
        sections: String? = nil
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: sections,
            cacheName: nil
        )
    }

    @Test(arguments: StoreKind.allCases)
    func differencesTurnTheOldListIntoTheNewOne(kind: StoreKind) throws {
        try withContext(kind) { context in
            var random = SplitMix(seed: 7)
            let controller = controller(context), delegate = DifferenceDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            func listed() -> [NSManagedObjectID] {
                (controller.fetchedObjects ?? []).map(\.objectID)
            }
            for round in 0..<60 {
                try context.save()
                // New objects have other IDs now, of which no difference tells.
                delegate.list = listed()
                for _ in 0..<(1 + random.below(4)) {
                    let people = try context.all("Person", sortedBy: "name")
                    switch people.isEmpty ? 0 : random.below(4) {
                    case 0: context.make("Person", ["name": "n\(random.below(1_000))"])
                    case 1: context.delete(random.pick(people))
                    case 2:
                        random.pick(people).setValue("n\(random.below(1_000))", forKey: "name")
                    default: random.pick(people).setValue(random.below(100), forKey: "age")
                    }
                }
                context.processPendingChanges()
                #expect(delegate.list == listed(), "round \(round)")
            }
            #expect(delegate.differences.count > 30)
            #expect(delegate.steps == 0)
        }
    }

    @Test func aChangedObjectIsInTheDifferenceAtItsPlace() throws {
        try withContext(.inMemory) { context in
            let people = ["Ann", "Bob", "Cid"].map { context.make("Person", ["name": $0]) }
            try context.save()
            let controller = controller(context), delegate = DifferenceDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            delegate.list = people.map(\.objectID)
            people[1].setValue(5, forKey: "age")
            people[0].setValue("Zoe", forKey: "name")
            context.processPendingChanges()
            let difference = try #require(delegate.differences.last)
            #expect(delegate.list == [1, 2, 0].map { people[$0].objectID })
            #expect(
                difference.insertions.map(\.changedPlaces) == [[0, 1], [2, 0]]
            )
        }
    }

    @Test func aDelegateOfDifferencesHearsStepsIfThereAreSections() throws {
        try withContext(.inMemory) { context in
            let controller = controller(context, sections: "name"), delegate = DifferenceDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            context.make("Person", ["name": "Ann"])
            context.processPendingChanges()
            #expect(delegate.steps == 1 && delegate.differences.isEmpty)
        }
    }

    @Test func theInfoOfADeletedSectionHoldsNothing() throws {
        try withContext(.inMemory) { context in
            let ann = context.make("Person", ["name": "Ann"])
            try context.save()
            let controller = controller(context, sections: "name"), delegate = SectionDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            context.delete(ann)
            context.make("Person", ["name": "Bob"])
            context.processPendingChanges()
            #expect(delegate.infos.map(\.name) == ["Ann", "Bob"])
            #expect(delegate.infos.map(\.numberOfObjects) == [0, 1])
            #expect(delegate.infos.map { $0.objects?.count } == [0, 1])
            // Objects, which are equal where they say the same.
            let sections = try #require(controller.sections)
            let last = try #require(sections.last), first = try #require(sections.first)
            #expect(["section": last] as NSDictionary == ["section": delegate.infos[1]])
            #expect(["section": first] as NSDictionary != ["section": delegate.infos[0]])
        }
    }

    /// As view controllers pass on what they hear.
    @Test func methodsOfADelegateCanBeCalledAsOptionalOnes() throws {
        try withContext(.inMemory) { context in
            context.make("Person", ["name": "Ann"])
            try context.save()
            let controller = controller(context, sections: "name")
            let steps = SectionDelegate(), passing = PassingDelegate()
            passing.next = steps
            controller.delegate = passing
            try controller.performFetch()
            context.make("Person", ["name": "Bob"])
            context.processPendingChanges()
            #expect(steps.events == ["will", "section", "object", "did"])
            #expect(controller.sectionIndexTitle(forSectionName: "Zoe") == "of Zoe")
        }
    }

    @Test func withoutADelegateTheListStaysAsItWasFetched() throws {
        try withContext(.inMemory) { context in
            let controller = controller(context)
            try controller.performFetch()
            context.make("Person", ["name": "Ann"])
            context.processPendingChanges()
            #expect(controller.fetchedObjects?.isEmpty == true)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 1)
        }
    }
}

extension CollectionDifference<NSManagedObjectID>.Change {
    /// Where it is, and where its counterpart is.
    fileprivate var changedPlaces: [Int?] {
        switch self {
        case .insert(let offset, _, let other), .remove(let offset, _, let other): [offset, other]
        }
    }
}
