/// What the random test expects, in dictionaries and sets: objects are labels, a level of contexts
/// is a list of edits, and what a context shows is what its parent shows with its own edits on top.
struct ReferenceWorld: Equatable {
    enum Kind: String, CaseIterable {
        case department = "Department"
        case person = "Person"
        case employee = "Employee"
        case tag = "Tag"
        case playlist = "Playlist"
        case song = "Song"

        /// The attribute that holds the label.
        var labelKey: String {
            switch self {
            case .department, .person, .employee: "name"
            case .tag: "label"
            case .playlist, .song: "title"
            }
        }

        /// The attribute that the test changes; tags and playlists have none.
        var numberKey: String? {
            switch self {
            case .department: "code"
            case .person, .employee: "age"
            case .song: "seconds"
            case .tag, .playlist: nil
            }
        }

        var isPerson: Bool { self == .person || self == .employee }
    }

    struct Pair: Hashable {
        let first: String
        let second: String

        init(_ first: String, _ second: String) {
            self.first = first
            self.second = second
        }

        /// The pair of a relationship that is its own inverse.
        static func either(_ one: String, _ other: String) -> Pair {
            one < other ? Pair(one, other) : Pair(other, one)
        }

        func names(_ label: String) -> Bool { first == label || second == label }
    }

    private(set) var kinds: [String: Kind] = [:]
    private(set) var numbers: [String: Int] = [:]
    /// Departments of people.
    private(set) var departments: [String: String] = [:]
    private(set) var tags: Set<Pair> = []
    private(set) var friends: Set<Pair> = []
    /// Songs of playlists, in order.
    private(set) var songs: [String: [String]] = [:]

    func labels(_ isAsked: (Kind) -> Bool) -> [String] {
        kinds.filter { isAsked($0.value) }.map(\.key).sorted()
    }

    /// The people by department and name, each department in a section.
    func peopleByDepartment() -> [String] {
        let people = labels(\.isPerson).map { (departments[$0] ?? "", $0) }
        return people.sorted { $0 < $1 }.map { "\($0.0): \($0.1)" }
    }

    /// What goes with a label when it is deleted: the people of a department.
    func deleted(with label: String) -> Set<String> {
        Set([label] + departments.filter { $0.value == label }.map(\.key))
    }

    mutating func apply(_ edits: ReferenceEdits) {
        kinds.merge(edits.inserted) { $1 }
        for (label, number) in edits.numbers { numbers[label] = number }
        for (label, department) in edits.departments { departments[label] = department }
        tags.formUnion(edits.tags.added)
        tags.subtract(edits.tags.removed)
        friends.formUnion(edits.friends.added)
        friends.subtract(edits.friends.removed)
        for (playlist, order) in edits.songs {
            let moved = Set(order)
            songs = songs.mapValues { $0.filter { !moved.contains($0) } }
            songs[playlist] = order
        }
        for label in edits.deleted { remove(label) }
    }

    private mutating func remove(_ label: String) {
        kinds[label] = nil
        numbers[label] = nil
        departments[label] = nil
        departments = departments.filter { $0.value != label }
        tags = tags.filter { !$0.names(label) }
        friends = friends.filter { !$0.names(label) }
        songs[label] = nil
        songs = songs.mapValues { $0.filter { $0 != label } }
    }

    /// One line for each object, with all that its relationships show from both sides.
    func lines() -> [String] {
        kinds.keys.sorted().map(line)
    }

    private func line(_ label: String) -> String {
        let head = "\(label) \(numbers[label] ?? -1)"
        switch kinds[label] {
        case .department:
            let people = departments.filter { $0.value == label }.map(\.key)
            return head + " people " + Self.list(people.sorted())
        case .person, .employee:
            let tagged = tags.filter { $0.first == label }.map(\.second)
            let known = friends.filter { $0.names(label) }.map {
                $0.first == label ? $0.second : $0.first
            }
            return head + " in \(departments[label] ?? "") tags " + Self.list(tagged.sorted())
                + " friends " + Self.list(known.sorted())
        case .tag:
            return head + " people "
                + Self.list(tags.filter { $0.second == label }.map(\.first).sorted())
        case .playlist:
            return head + " songs " + Self.list(songs[label] ?? [])
        case .song:
            return head + " in " + (songs.first { $0.value.contains(label) }?.key ?? "")
        case nil:
            return head
        }
    }

    static func list(_ labels: [String]) -> String { labels.joined(separator: ",") }
}

/// The changes that one context has not saved.
struct ReferenceEdits {
    struct PairEdits {
        var added: Set<ReferenceWorld.Pair> = []
        var removed: Set<ReferenceWorld.Pair> = []

        /// Adds a pair, unless it is there; `base` is what the context's parent shows.
        mutating func add(_ pair: ReferenceWorld.Pair, over base: Set<ReferenceWorld.Pair>) {
            guard !added.contains(pair), removed.contains(pair) || !base.contains(pair) else {
                return
            }
            removed.remove(pair)
            if !base.contains(pair) { added.insert(pair) }
        }

        /// Removes a pair, if it is there.
        mutating func remove(_ pair: ReferenceWorld.Pair, over base: Set<ReferenceWorld.Pair>) {
            guard added.contains(pair) || (base.contains(pair) && !removed.contains(pair)) else {
                return
            }
            added.remove(pair)
            if base.contains(pair) { removed.insert(pair) }
        }

        mutating func forget(_ label: String) {
            added = added.filter { !$0.names(label) }
            removed = removed.filter { !$0.names(label) }
        }

        mutating func take(_ later: PairEdits, over base: Set<ReferenceWorld.Pair>) {
            for pair in later.added { add(pair, over: base) }
            for pair in later.removed { remove(pair, over: base) }
        }

        func names(_ label: String) -> Bool {
            added.contains { $0.names(label) } || removed.contains { $0.names(label) }
        }
    }

    var inserted: [String: ReferenceWorld.Kind] = [:]
    var deleted: Set<String> = []
    var numbers: [String: Int] = [:]
    var departments: [String: String?] = [:]
    var tags = PairEdits()
    var friends = PairEdits()
    var songs: [String: [String]] = [:]

    /// Notes a deletion; the object of an insertion that was never saved is gone without a trace.
    mutating func delete(_ label: String) {
        numbers[label] = nil
        departments[label] = nil
        for (person, department) in departments where department == label {
            departments[person] = .some(nil)
        }
        tags.forget(label)
        friends.forget(label)
        songs[label] = nil
        songs = songs.mapValues { $0.filter { $0 != label } }
        if inserted.removeValue(forKey: label) == nil { deleted.insert(label) }
    }

    /// Takes in what a child saves; `base` is what this context's parent shows.
    mutating func take(_ child: ReferenceEdits, over base: ReferenceWorld) {
        inserted.merge(child.inserted) { $1 }
        numbers.merge(child.numbers) { $1 }
        departments.merge(child.departments) { $1 }
        tags.take(child.tags, over: base.tags)
        friends.take(child.friends, over: base.friends)
        for (playlist, order) in child.songs { setSongs(order, of: playlist) }
        for label in child.deleted { delete(label) }
    }

    /// What a save pushes: values that are what the level above shows anyway are no changes.
    func differing(from base: ReferenceWorld) -> ReferenceEdits {
        var edits = self
        edits.numbers = numbers.filter { $0.value != base.numbers[$0.key] }
        edits.departments = departments.filter { $0.value != base.departments[$0.key] }
        return edits
    }

    mutating func setSongs(_ order: [String], of playlist: String) {
        let moved = Set(order)
        for (other, songs) in songs where other != playlist {
            self.songs[other] = songs.filter { !moved.contains($0) }
        }
        songs[playlist] = order
    }

    /// Whether a label has to do with any of the changes.
    func mentions(_ label: String) -> Bool {
        inserted[label] != nil || deleted.contains(label) || numbers[label] != nil
            || departments.contains { $0.key == label || $0.value == label }
            || tags.names(label) || friends.names(label)
            || songs.contains { $0.key == label || $0.value.contains(label) }
    }

    var isEmpty: Bool {
        inserted.isEmpty && deleted.isEmpty && numbers.isEmpty && departments.isEmpty
            && tags.added.isEmpty && tags.removed.isEmpty
            && friends.added.isEmpty && friends.removed.isEmpty && songs.isEmpty
    }
}
