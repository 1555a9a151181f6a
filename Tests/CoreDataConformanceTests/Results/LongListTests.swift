import CoreData
import TestSupport
import Testing

/// Lists of thousands of objects, of which each change is about a few.
@Suite struct LongListTests {
    @Test(arguments: [nil, "age"])
    func aLongListFollowsWhatItsContextChanges(sections: String?) throws {
        try withStack(.inMemory) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                var random = Numbers()
                for index in 0..<3_000 { makePerson(index, in: context, &random) }
                try context.save()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.sortDescriptors = ["age", "name"].map {
                    NSSortDescriptor(key: $0, ascending: true)
                }
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
                // Few at a time, many at a time, until it is empty, and from there.
                for (round, count) in [1, 3, 40, 1_500, 2, 700, 0, 1, 5, 2_000, 300].enumerated() {
                    let people = try #require(controller.fetchedObjects)
                    if count == 0 {
                        for person in people { context.delete(person) }
                    }
                    for number in 0..<count {
                        makePerson(10_000 * (round + 1) + number, in: context, &random)
                    }
                    // Neighbours, too: what changes stands together.
                    for person in people.dropFirst(people.count / 3).prefix(count) {
                        change(person, in: context, &random)
                    }
                    for _ in 0..<count {
                        guard !people.isEmpty else { break }
                        change(people[random.next(below: people.count)], in: context, &random)
                    }
                    context.processPendingChanges()
                    let listed = try #require(controller.fetchedObjects)
                    #expect(try context.fetch(request) == listed)
                    #expect(mirror.sections.flatMap(\.objects) == listed)
                    let content = ListMirror.content(controller)
                    #expect(mirror.sections.map(\.name) == content.map(\.name))
                    #expect(mirror.sections.map(\.objects) == content.map(\.objects))
                    if sections != nil {
                        #expect(
                            content.allSatisfy { name, people in
                                people.allSatisfy { $0.integer("age").map(String.init) == name }
                            }
                        )
                    }
                }
                withExtendedLifetime(mirror) {}
            }
        }
    }

    private func makePerson(
        _ number: Int,
        in context: NSManagedObjectContext,
        _ random: inout Numbers
    ) {
        context.make(
            "Person",
            ["name": "\(number)", "age": random.next(below: 40)]
        )
    }

    /// Deletes an object, moves it to another section, to another place, or changes nothing of its
    /// order.
    private func change(
        _ person: NSManagedObject,
        in context: NSManagedObjectContext,
        _ random: inout Numbers
    ) {
        switch random.next(below: 4) {
        case 0: context.delete(person)
        case 1: person.setValue(random.next(below: 45), forKey: "age")
        case 2: person.setValue("\(random.next(below: 30_000))", forKey: "name")
        default: person.setValue(person.value(forKey: "name"), forKey: "name")
        }
    }
}

/// Scattered numbers, the same ones in each run: the minimal standard generator of Park and Miller.
private struct Numbers {
    private var state = 41

    mutating func next(below end: Int) -> Int {
        state = state * 48_271 % 2_147_483_647
        return state % end
    }
}
