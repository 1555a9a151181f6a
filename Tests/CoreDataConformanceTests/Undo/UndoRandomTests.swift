import CoreData
import TestSupport
import Testing

/// Steps of random changes on one context, with what was visible after each.
private final class RandomHistory {
    let context: NSManagedObjectContext
    private var dice: SplitMix
    private var objects: [NSManagedObject] = []
    private(set) var states: [[String]] = []

    init(_ context: NSManagedObjectContext, seed: UInt64) {
        self.context = context
        dice = SplitMix(seed: seed)
        states = [visible()]
    }

    /// One line for each object that is in the context.
    func visible() -> [String] {
        var numbers: [ObjectIdentifier: Int] = [:]
        for (number, object) in objects.enumerated() { numbers[ObjectIdentifier(object)] = number }
        func list(_ related: [NSManagedObject]) -> String {
            related.filter { !$0.isDeleted }
                .map { "\(numbers[ObjectIdentifier($0)] ?? -1)" }.joined(separator: ",")
        }
        func sorted(_ object: NSManagedObject, _ key: String) -> String {
            list(
                object.set(key).sorted {
                    (numbers[ObjectIdentifier($0)] ?? -1) < (numbers[ObjectIdentifier($1)] ?? -1)
                }
            )
        }
        return objects.enumerated().compactMap { number, object in
            guard object.managedObjectContext != nil, !object.isDeleted else { return nil }
            switch object.entity.name {
            case "Person":
                let department = object.one("department").map { list([$0]) } ?? ""
                return "\(number) \(object.text("name") ?? "") in \(department) tags "
                    + "\(sorted(object, "tags")) friends \(sorted(object, "friends"))"
            case "Department":
                return "\(number) \(object.text("name") ?? "") has \(sorted(object, "people"))"
            case "Playlist":
                let songs = (object.value(forKey: "songs") as? NSOrderedSet)?.array ?? []
                return "\(number) plays \(list(songs.compactMap { $0 as? NSManagedObject }))"
            case "Song":
                return "\(number) on \(object.one("playlist").map { list([$0]) } ?? "")"
            default:
                return "\(number) marks \(sorted(object, "people"))"
            }
        }
    }

    func step() throws {
        context.undoManager?.beginUndoGrouping()
        for _ in 0..<Int.random(in: 1...4, using: &dice) { change() }
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
        let now = visible()
        if context.undoManager?.canUndo == true, now != states.last { states.append(now) }
        if Int.random(in: 0..<4, using: &dice) == 0 { try context.save() }
    }

    private func alive(_ entity: String) -> NSManagedObject? {
        objects.filter {
            $0.entity.name == entity && $0.managedObjectContext != nil && !$0.isDeleted
        }
        .randomElement(using: &dice)
    }

    private func change() {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0, 1:
            let entity =
                ["Person", "Person", "Department", "Tag", "Song", "Playlist"]
                .randomElement(using: &dice) ?? "Tag"
            let object = context.make(entity)
            if object.entity.attributesByName["name"] != nil {
                object.setValue("n\(objects.count)", forKey: "name")
            }
            objects.append(object)
        case 2:
            alive("Person")?.setValue("m\(Int.random(in: 0..<99, using: &dice))", forKey: "name")
        case 3: alive("Person")?.setValue(alive("Department"), forKey: "department")
        case 4:
            guard let person = alive("Person"), let tag = alive("Tag") else { return }
            let tags = person.mutableSetValue(forKey: "tags")
            if tags.contains(tag) { tags.remove(tag) } else { tags.add(tag) }
        case 5:
            guard let person = alive("Person"), let friend = alive("Person") else { return }
            person.mutableSetValue(forKey: "friends").add(friend)
        case 6:
            guard let list = alive("Playlist"), let song = alive("Song") else { return }
            let songs = list.mutableOrderedSetValue(forKey: "songs")
            songs.insert(song, at: Int.random(in: 0...songs.count, using: &dice))
        case 7:
            alive("Department")?.setValue(
                Set([alive("Person")].compactMap { $0 }),
                forKey: "people"
            )
        case 8:
            alive(["Person", "Tag", "Song"].randomElement(using: &dice) ?? "").map(context.delete)
        default:
            alive(["Department", "Playlist"].randomElement(using: &dice) ?? "").map(context.delete)
        }
    }
}

@Suite struct UndoRandomTests {
    @Test(arguments: StoreKind.allCases)
    func undoAndRedoLeadThroughTheSameStates(kind: StoreKind) throws {
        for seed in 1...15 {
            try withContext(kind) { context in
                let manager = UndoManager()
                manager.groupsByEvent = false
                context.undoManager = manager
                let history = RandomHistory(context, seed: UInt64(seed))
                for _ in 0..<25 { try history.step() }
                for round in 0..<2 {
                    for state in history.states.dropLast().reversed() {
                        context.undo()
                        guard history.visible() == state else {
                            let seen = history.visible()
                            Issue.record("seed \(seed) round \(round), undo: \(seen), not \(state)")
                            return
                        }
                    }
                    if round == 0 { try context.save() }
                    for state in history.states.dropFirst() {
                        context.redo()
                        guard history.visible() == state else {
                            let seen = history.visible()
                            Issue.record("seed \(seed) round \(round), redo: \(seen), not \(state)")
                            return
                        }
                    }
                    try context.save()
                }
            }
        }
    }
}
