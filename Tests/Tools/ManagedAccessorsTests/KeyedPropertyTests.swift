import CoreData
import Foundation
import ManagedAccessorsFixture
import TestSupport
import Testing

/// A class beneath one of a library, without managed members.
final class Party: Event {
    override var initial: String { "*" }
}

extension Event {
    /// In another module than the class.
    var length: Int { title?.count ?? 0 }
}

/// No other file can name it, so its properties are not listed.
private final class Draft: Event {
    var wordCount: Int { 1 }
}

/// Key-value access finds properties written in Swift.
@Suite struct KeyedPropertyTests {
    private func makeContext(_ kind: StoreKind) throws -> (TestStack, NSManagedObjectContext) {
        func attribute(
            _ name: String,
            _ type: NSAttributeDescription.AttributeType
        ) -> NSAttributeDescription { LibraryModel.attribute(name, type) }
        let section = attribute("sectionIdentifier", .string)
        section.isTransient = true
        let event = LibraryModel.entity(
            "Event",
            className: "Event",
            [
                attribute("title", .string), attribute("timeStamp", .date), section,
                attribute("place", .string), attribute("memo", .string),
                attribute("kind", .integer16),
            ]
        )
        let party = LibraryModel.entity("Party", Party.self, [])
        event.subentities = [party]
        LibraryModel.relate(event, "next", event, "previous")
        let model = NSManagedObjectModel()
        model.entities = [event, party]
        let stack = try TestStack(kind, model: model)
        return (stack, stack.makeContext())
    }

    private func withEvents(
        _ titles: String...,
        in kind: StoreKind = .inMemory,
        _ body: (NSManagedObjectContext, [Event]) throws -> Void
    ) throws {
        let (stack, context) = try makeContext(kind)
        try context.onQueue {
            let events = titles.enumerated().map { index, title in
                let event = Event(context: context)
                event.title = title
                event.timeStamp = Date(timeIntervalSinceReferenceDate: Double(index) * 600)
                return event
            }
            try context.save()
            try body(context, events)
        }
        withExtendedLifetime(stack) {}
    }

    @Test func computedPropertiesHaveValues() throws {
        try withEvents("Tea") { _, events in
            let event = events[0]
            #expect(event.value(forKey: "initial") as? String == "T")
            #expect(event.value(forKey: "caption") as? String == "T: Tea")
            #expect(event.value(forKey: "length") as? NSNumber == 3)
            #expect(event.value(forKey: "tables") as? Int == 1)
            #expect(event.value(forKey: "closed") as? Bool == false)
            #expect(event.value(forKey: "oldTitle") as? String == "Tea")
            #expect(event.value(forKey: "rank") as? Int == 1)
            event.title = nil
            #expect(event.value(forKey: "headline") == nil)
        }
    }

    @Test func anOverrideIsCalled() throws {
        try withEvents { context, _ in
            let party: Event = Party(context: context)
            party.title = "Tea"
            #expect(party.value(forKey: "initial") as? String == "*")
            #expect(party.value(forKey: "caption") as? String == "*: Tea")
        }
    }

    @Test func propertiesAreSet() throws {
        try withEvents("Tea") { _, events in
            let event = events[0]
            event.setValue("lunch", forKey: "headline")
            #expect(event.title == "LUNCH")
            event.setValue(nil, forKey: "headline")
            #expect(event.title == nil)
            event.setValue(NSNumber(value: 12), forKey: "seats")
            #expect(event.seats == 12)
            #expect(event.value(forKey: "rank") as? Int == 2)
        }
    }

    @Test func keyPathsLeadThroughThem() throws {
        try withEvents("Tea", "Lunch") { _, events in
            events[0].next = events[1]
            #expect(events[0].value(forKeyPath: "next.initial") as? String == "L")
            events[0].setValue("dinner", forKeyPath: "next.headline")
            #expect(events[1].title == "DINNER")
            let lengths = NSArray(array: events).value(forKeyPath: "@sum.length") as? Int
            #expect(lengths == 9)
        }
    }

    @Test(arguments: StoreKind.large)
    func sectionsAreNamedByThem(in kind: StoreKind) throws {
        try withEvents("Beer", "Bread", "Cake", in: kind) { context, _ in
            let byInitial = try sections(by: "initial", "title", context)
            #expect(byInitial == ["B: Beer Bread", "C: Cake"])
            let byTransient = try sections(by: "sectionIdentifier", "timeStamp", context)
            #expect(byTransient == ["early: Beer Bread", "late: Cake"])
        }
    }

    private func sections(
        by path: String,
        _ sortKey: String,
        _ context: NSManagedObjectContext
    ) throws -> [String] {
        let request = NSFetchRequest<Event>(entityName: "Event")
        request.sortDescriptors = [NSSortDescriptor(key: sortKey, ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: path,
            cacheName: nil
        )
        try controller.performFetch()
        return (controller.sections ?? []).map { section in
            let titles = (section.objects ?? []).compactMap { ($0 as? Event)?.title }
            return "\(section.name): \(titles.joined(separator: " "))"
        }
    }

    @Test func theGetterOfATransientAttributeIsCalled() throws {
        try withEvents("Tea") { _, events in
            let event = events[0]
            #expect(event.primitiveValue(forKey: "sectionIdentifier") == nil)
            #expect(event.value(forKey: "sectionIdentifier") as? String == "early")
            #expect(event.primitiveValue(forKey: "sectionIdentifier") as? String == "early")
        }
    }

    @Test func accessorsOverTheirOwnKeyEnd() throws {
        try withEvents("Tea") { _, events in
            let event = events[0]
            event.place = "Rome"
            #expect(event.value(forKey: "place") as? String == "ROME")
            #expect(event.place == "in ROME")
            event.setValue("note", forKey: "memo")
            #expect(event.primitiveValue(forKey: "memo") as? String == "note")
            #expect(event.value(forKey: "memo") as? String == "(note)")
        }
    }

    @Test func typesThatObjectiveCLacksStayWithTheModel() throws {
        try withEvents("Tea") { _, events in
            events[0].kind = .large
            #expect(events[0].value(forKey: "kind") as? Int == 2)
            events[0].setValue(1, forKey: "kind")
            #expect(events[0].kind == .small)
        }
    }

    @Test func objectsInMemoryAreSortedAndFilteredByThem() throws {
        try withEvents("Tea", "Beer", "Toast") { _, events in
            let sorted = NSArray(array: events).sortedArray(using: [
                NSSortDescriptor(key: "length", ascending: false)
            ])
            #expect(sorted.compactMap { ($0 as? Event)?.title } == ["Toast", "Beer", "Tea"])
            let predicate = NSPredicate(format: "initial == 'T' AND length > 3")
            #expect(events.filter(predicate.evaluate).map(\.title) == ["Toast"])
        }
    }

    @Test func aPropertyOfAPrivateClassStopsTheProgramWithTheRemedy() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let model = NSManagedObjectModel()
            model.entities = [LibraryModel.entity("Draft", Draft.self, [])]
            let draft = Draft(entity: model.entities[0], insertInto: nil)
            _ = draft.value(forKey: "wordCount")
            withExtendedLifetime(model) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("not key value coding-compliant for the key \"wordCount\""))
        #expect(text.contains("make it internal"))
    }
}
