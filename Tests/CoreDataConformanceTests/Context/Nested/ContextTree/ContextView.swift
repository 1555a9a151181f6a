import CoreData
import TestSupport

/// All that a context shows, read through its API, in the form of `ReferenceWorld.lines()`.
///
/// > Threading: On the context's queue.
struct ContextView {
    private(set) var objects: [String: NSManagedObject] = [:]

    init(_ context: NSManagedObjectContext) throws {
        for kind in ReferenceWorld.Kind.allCases where kind != .employee {
            for object in try context.all(kind.rawValue) {
                guard objects.updateValue(object, forKey: Self.label(object)) == nil else {
                    throw Mismatch("\(Self.label(object)) was fetched twice")
                }
            }
        }
    }

    func lines() -> [String] { objects.keys.sorted().compactMap { objects[$0].map(line) } }

    func labels(_ objects: some Sequence<NSManagedObject>, sorting: Bool = true) -> [String] {
        let labels = objects.map(Self.label)
        return sorting ? labels.sorted() : labels
    }

    private static func label(_ object: NSManagedObject) -> String {
        guard let kind = ReferenceWorld.Kind(rawValue: object.entity.name ?? "") else { return "?" }
        return object.text(kind.labelKey) ?? "?"
    }

    private func list(_ object: NSManagedObject, _ key: String) -> String {
        ReferenceWorld.list(labels(object.set(key)))
    }

    private func one(_ object: NSManagedObject, _ key: String) -> String {
        object.one(key).map(Self.label) ?? ""
    }

    private func line(_ object: NSManagedObject) -> String {
        guard let kind = ReferenceWorld.Kind(rawValue: object.entity.name ?? "") else { return "?" }
        let number = kind.numberKey.flatMap(object.integer) ?? -1
        let head = "\(Self.label(object)) \(number)"
        switch kind {
        case .department: return head + " people " + list(object, "people")
        case .person, .employee:
            return head + " in \(one(object, "department")) tags " + list(object, "tags")
                + " friends " + list(object, "friends")
        case .tag: return head + " people " + list(object, "people")
        case .playlist:
            let songs = object.value(forKey: "songs") as? NSOrderedSet
            let labels = labels(songs?.array as? [NSManagedObject] ?? [], sorting: false)
            return head + " songs " + ReferenceWorld.list(labels)
        case .song: return head + " in " + one(object, "playlist")
        }
    }
}

/// A random request, and the labels that it must give.
struct ReferenceQuery {
    let request: NSFetchRequest<NSManagedObject>
    let labels: [String]

    init(_ world: ReferenceWorld, _ random: inout SplitMix) {
        let number = random.below(100)
        let department = world.labels { $0 == .department }.randomElement(using: &random) ?? ""
        let tag = world.labels { $0 == .tag }.randomElement(using: &random) ?? ""
        let (entity, key, format, isWanted): (String, String, NSPredicate, (String) -> Bool) =
            switch random.below(5) {
            case 0:
                (
                    "Person", "name", NSPredicate(format: "age >= %d", number),
                    { world.numbers[$0].map { $0 >= number } ?? false }
                )
            case 1:
                (
                    "Person", "name", NSPredicate(format: "department.name == %@", department),
                    { world.departments[$0] == department && !department.isEmpty }
                )
            case 2:
                (
                    "Person", "name", NSPredicate(format: "ANY tags.label == %@", tag),
                    { world.tags.contains(ReferenceWorld.Pair($0, tag)) }
                )
            case 3:
                (
                    "Department", "name", NSPredicate(format: "code < %d", number),
                    { world.numbers[$0].map { $0 < number } ?? false }
                )
            default:
                (
                    "Employee", "name", NSPredicate(format: "department == nil"),
                    { world.kinds[$0] == .employee && world.departments[$0] == nil }
                )
            }
        let all = world.labels { kind in
            kind.rawValue == entity || (entity == "Person" && kind.isPerson)
        }
        .filter(isWanted)
        request = NSFetchRequest(entityName: entity)
        request.predicate = format
        let isAscending = random.chance(2)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: isAscending)]
        request.fetchOffset = random.below(2)
        request.fetchLimit = random.below(4)
        request.fetchBatchSize = random.below(3)
        let sorted = (isAscending ? all : all.reversed()).dropFirst(request.fetchOffset)
        labels = request.fetchLimit > 0 ? Array(sorted.prefix(request.fetchLimit)) : Array(sorted)
    }
}
