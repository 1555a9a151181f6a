import CoreData
import TestSupport

/// A random sequence of steps on a context tree, compared with the expectation after each.
///
/// What no rule decides is left out: changes of something that a context elsewhere has deleted, and
/// orders of one list from two sides. Such conflicts have tests of their own.
struct TreeWalk {
    private let tree: ContextTree
    private var random: SplitMix
    private var made = 0
    /// The steps so far, in words.
    private(set) var log: [String] = []

    init(_ kind: StoreKind, seed: UInt64) throws {
        random = SplitMix(seed: seed)
        let depth = random.below(3)
        tree = try ContextTree(kind, depth: depth, childrenMerge: random.chance(2))
        log.append("depth \(depth), children merge: \(tree.childrenMerge)")
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            try step()
            try tree.compare(keeping: random.chance(2), random: &random)
        }
        for level in tree.levels.indices.reversed() { try save(level) }
        try tree.compare(keeping: false, random: &random)
        try tree.compareStored()
    }

    private mutating func step() throws {
        let level = random.below(tree.levels.count)
        try tree.load(level)
        switch random.below(20) {
        case 0, 1, 2, 3: try insert(level)
        case 4, 5: try setNumber(level)
        case 6, 7: try setDepartment(level)
        case 8, 9: try changePair(level, "tags", .tag, "people")
        case 10: try changePair(level, "friends", .person, "friends")
        case 11, 12: try setSongs(level)
        case 13, 14: try delete(level)
        case 15, 16, 17: try save(level)
        case 18: try abandon(level)
        default:
            note(level, "refreshes all")
            tree.refreshAll(level)
        }
    }

    private mutating func note(_ level: Int, _ text: String) {
        log.append("\(tree.levels[level].name) \(text)")
    }

    // MARK: Steps

    private mutating func insert(_ level: Int) throws {
        made += 1
        let kind = random.pick(ReferenceWorld.Kind.allCases)
        let label = "\(kind.rawValue.prefix(2))\(made)", number = random.below(100)
        note(level, "inserts \(label)")
        try tree.edit(level) { context, _ in
            let object = context.make(kind.rawValue, [kind.labelKey: label])
            if let key = kind.numberKey { object.setValue(number, forKey: key) }
        } expected: { edits in
            edits.inserted[label] = kind
            if kind.numberKey != nil { edits.numbers[label] = number }
        }
    }

    private mutating func setNumber(_ level: Int) throws {
        guard let label = pick(level, where: { $0.numberKey != nil }), isFree([label], level),
            let key = tree.world(level).kinds[label]?.numberKey
        else { return }
        let number = random.below(100)
        note(level, "sets \(key) of \(label) to \(number)")
        try tree.edit(level) { _, objects in
            objects[label]?.setValue(number, forKey: key)
        } expected: {
            $0.numbers[label] = number
        }
    }

    private mutating func setDepartment(_ level: Int) throws {
        guard let person = pick(level, where: \.isPerson) else { return }
        let department = random.chance(4) ? nil : pick(level) { $0 == .department }
        let former = tree.world(level).departments[person]
        guard department != former,
            isFree([person, department, former].compactMap { $0 }, level)
        else { return }
        let fromTheOtherSide = random.chance(2)
        note(level, "puts \(person) into \(department ?? "none"), other side: \(fromTheOtherSide)")
        try tree.edit(level) { _, objects in
            if fromTheOtherSide, let object = objects[person] {
                if let department {
                    objects[department]?.mutableSetValue(forKey: "people").add(object)
                } else if let former {
                    objects[former]?.mutableSetValue(forKey: "people").remove(object)
                }
            } else {
                objects[person]?.setValue(department.flatMap { objects[$0] }, forKey: "department")
            }
        } expected: {
            $0.departments[person] = .some(department)
        }
    }

    private mutating func changePair(
        _ level: Int,
        _ key: String,
        _ kind: ReferenceWorld.Kind,
        _ inverse: String
    ) throws {
        let isFriend = kind == .person
        guard let person = pick(level, where: \.isPerson),
            let other = pick(level, where: { isFriend ? $0.isPerson : $0 == kind }),
            other != person, isFree([person, other], level)
        else { return }
        let pair: ReferenceWorld.Pair =
            isFriend ? .either(person, other) : ReferenceWorld.Pair(person, other)
        let world = tree.world(level)
        let base = isFriend ? tree.base(level).friends : tree.base(level).tags
        let isThere = (isFriend ? world.friends : world.tags).contains(pair)
        let fromTheOtherSide = random.chance(2)
        note(
            level,
            "\(isThere ? "removes" : "adds") \(other) \(isThere ? "from" : "to") \(key) of \(person)"
                + ", other side: \(fromTheOtherSide)"
        )
        try tree.edit(level) { _, objects in
            guard let one = objects[fromTheOtherSide ? other : person],
                let second = objects[fromTheOtherSide ? person : other]
            else { return }
            let set = one.mutableSetValue(forKey: fromTheOtherSide ? inverse : key)
            if isThere { set.remove(second) } else { set.add(second) }
        } expected: { edits in
            let change = isFriend ? \ReferenceEdits.friends : \ReferenceEdits.tags
            if isThere {
                edits[keyPath: change].remove(pair, over: base)
            } else {
                edits[keyPath: change].add(pair, over: base)
            }
        }
    }

    /// Gives a playlist a random list of songs; some may come from other playlists.
    private mutating func setSongs(_ level: Int) throws {
        guard let playlist = pick(level, where: { $0 == .playlist }) else { return }
        let world = tree.world(level)
        let songs = world.labels { $0 == .song }.shuffled(using: &random)
        let order = Array(songs.prefix(random.below(songs.count + 1)))
        let former = world.songs[playlist] ?? []
        let givers = world.songs.filter {
            $0.key != playlist && !order.allSatisfy($0.value.contains)
        }
        .filter { giver in giver.value.contains { order.contains($0) } }
        let touched = [playlist] + order + former + givers.keys + givers.values.flatMap { $0 }
        guard order != former, isFree(touched, level), isOnlyOrderedHere(touched, level) else {
            return
        }
        note(level, "sets the songs of \(playlist) to \(order.joined(separator: ","))")
        try tree.edit(level) { _, objects in
            objects[playlist]?
                .setValue(NSOrderedSet(array: order.compactMap { objects[$0] }), forKey: "songs")
        } expected: { edits in
            for (giver, songs) in givers {
                edits.setSongs(songs.filter { !order.contains($0) }, of: giver)
            }
            edits.setSongs(order, of: playlist)
        }
    }

    private mutating func delete(_ level: Int) throws {
        guard let label = pick(level, where: { _ in true }) else { return }
        let all = tree.world(level).deleted(with: label)
        let others = tree.levels.indices.filter {
            $0 != level && !tree.ancestors(level).contains($0)
        }
        guard !others.contains(where: { all.contains(where: tree.levels[$0].edits.mentions) })
        else { return }
        note(level, "deletes \(all.sorted().joined(separator: ", "))")
        try tree.edit(level) { context, objects in
            if let object = objects[label] { context.delete(object) }
        } expected: { edits in
            for label in all { edits.delete(label) }
        }
    }

    private mutating func save(_ level: Int) throws {
        note(level, "saves")
        try tree.save(level)
    }

    private mutating func abandon(_ level: Int) throws {
        let byReset = random.chance(2)
        note(level, byReset ? "is reset" : "rolls back")
        try tree.abandon(level, byReset: byReset)
    }

    // MARK: Choices

    private mutating func pick(
        _ level: Int,
        where isAsked: (ReferenceWorld.Kind) -> Bool
    ) -> String? {
        tree.world(level).labels(isAsked).randomElement(using: &random)
    }

    /// Whether no context has deleted any of these.
    private func isFree(_ labels: [String], _ level: Int) -> Bool {
        !tree.levels.contains { labels.contains(where: $0.edits.deleted.contains) }
    }

    /// Whether no context that is not above has anything to do with these.
    private func isOnlyOrderedHere(_ labels: [String], _ level: Int) -> Bool {
        let above = tree.ancestors(level) + [level]
        return tree.levels.indices.filter { !above.contains($0) }
            .allSatisfy { !labels.contains(where: tree.levels[$0].edits.mentions) }
    }
}
