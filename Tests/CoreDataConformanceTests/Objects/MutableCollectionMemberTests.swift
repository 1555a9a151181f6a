import CoreData
import TestSupport
import Testing

/// The members of the collections that write through, one after the other.
@Suite struct MutableCollectionMemberTests {
    /// A change of an ordered relationship that holds the songs a to e, and what it leaves; f and g
    /// belong to nobody before.
    struct Change: Sendable, CustomStringConvertible {
        let description: String
        let expected: String
        let run: @Sendable (NSMutableOrderedSet, [NSManagedObject]) -> Void

        init(
            _ description: String,
            leaves expected: String,
            _ run: @escaping @Sendable (NSMutableOrderedSet, [NSManagedObject]) -> Void
        ) {
            self.description = description
            self.expected = expected
            self.run = run
        }
    }

    private static let changes = [
        Change("set in the midst", leaves: "afcde") { $0.setObject($1[5], at: 1) },
        Change("set behind the end", leaves: "abcdef") { $0.setObject($1[5], at: 5) },
        Change("insert at places", leaves: "fabgcde") {
            $0.insert([$1[5], $1[6]], at: [0, 3])
        },
        Change("replace at places", leaves: "fbgde") {
            $0.replaceObjects(at: [0, 2], with: [$1[5], $1[6]])
        },
        Change("remove at places", leaves: "bd") { set, _ in set.removeObjects(at: [0, 2, 4]) },
        Change("remove a range", leaves: "ade") { set, _ in
            set.removeObjects(in: NSRange(location: 1, length: 2))
        },
        Change("remove an array", leaves: "bde") { $0.removeObjects(in: [$1[0], $1[2], $1[5]]) },
        Change("union of ordered sets", leaves: "abcdef") {
            $0.union(NSOrderedSet(array: [$1[1], $1[5]]))
        },
        Change("minus an ordered set", leaves: "acde") {
            $0.minus(NSOrderedSet(array: [$1[1], $1[5]]))
        },
        Change("intersection with an ordered set", leaves: "bd") {
            $0.intersect(NSOrderedSet(array: [$1[3], $1[1], $1[5]]))
        },
        Change("union with a set", leaves: "abcdef") { $0.unionSet([$1[1], $1[5]]) },
        Change("minus a set", leaves: "acde") { $0.minusSet([$1[1], $1[5]]) },
        Change("intersection with a set", leaves: "bd") { $0.intersectSet([$1[3], $1[1]]) },
        Change("sort", leaves: "edcba") { set, _ in set.sort(comparator: descending) },
        Change("sort with options", leaves: "edcba") { set, _ in
            set.sort(options: [.stable], usingComparator: descending)
        },
        Change("sort a range", leaves: "adcbe") { set, _ in
            set.sortRange(
                NSRange(location: 1, length: 3),
                options: [],
                usingComparator: descending
            )
        },
    ]

    private static func descending(_ left: Any, _ right: Any) -> ComparisonResult {
        func title(_ song: Any) -> String { (song as? NSManagedObject)?.text("title") ?? "" }
        return title(right).compare(title(left))
    }

    @Test(arguments: changes)
    func eachMemberOfAnOrderedSetChangesTheRelationshipAndItsInverse(change: Change) throws {
        try withContext(.sqlite) { context throws in
            let list = context.make("Playlist", ["title": "L"])
            let songs = "abcdefg".map { context.make("Song", ["title": String($0)]) }
            list.setValue(NSOrderedSet(array: Array(songs[..<5])), forKey: "songs")
            try context.save()
            change.run(list.mutableOrderedSetValue(forKey: "songs"), songs)
            for _ in 0..<2 {
                let held = (list.value(forKey: "songs") as? NSOrderedSet)?.array ?? []
                let titles = held.compactMap { ($0 as? NSManagedObject)?.text("title") }.joined()
                #expect(titles == change.expected)
                let back = songs.filter { $0.one("playlist") === list }
                #expect(
                    Set(back.compactMap { $0.text("title") }) == Set(titles.map { String($0) })
                )
                try context.save()
                context.refreshAllObjects()
            }
        }
    }

    @Test func copiesOfViewsStayAsTheyAre() throws {
        try withContext(.sqlite) { context throws in
            let list = context.make("Playlist"), department = context.make("Department")
            let song = context.make("Song"), other = context.make("Song")
            let person = context.make("Person")
            let songs = list.mutableOrderedSetValue(forKey: "songs")
            let people = department.mutableSetValue(forKey: "people")
            songs.add(song)
            people.add(person)
            let orderedCopy = try #require(songs.copy() as? NSOrderedSet)
            let mutableOrdered = try #require(songs.mutableCopy() as? NSMutableOrderedSet)
            let copy = try #require(people.copy() as? NSSet)
            let mutable = try #require(people.mutableCopy() as? NSMutableSet)
            mutableOrdered.add(other)
            mutable.removeAllObjects()
            #expect(songs.count == 1 && people.count == 1, "A copy's change is no relationship's.")
            #expect(other.one("playlist") == nil && person.one("department") === department)
            songs.removeAllObjects()
            people.removeAllObjects()
            #expect(orderedCopy.count == 1 && orderedCopy.object(at: 0) as AnyObject === song)
            #expect(copy.count == 1 && copy.contains(person))
        }
    }

    @Test func whatIsNoObjectIsInNoRelationship() throws {
        try withContext(.sqlite) { context throws in
            let department = context.make("Department"), person = context.make("Person")
            let people = department.mutableSetValue(forKey: "people")
            people.add(person)
            #expect(!people.contains("no object") && people.member(7) == nil)
            people.remove("no object")
            #expect(department.set("people") == [person])
        }
    }

    @Test func keyPathsLeadToCollections() throws {
        try withContext(.sqlite) { context throws in
            let list = context.make("Playlist"), song = context.make("Song", ["title": "a"])
            let other = context.make("Song", ["title": "b"])
            song.setValue(list, forKey: "playlist")
            song.mutableOrderedSetValue(forKeyPath: "playlist.songs").insert(other, at: 0)
            #expect(list.mutableOrderedSetValue(forKeyPath: "songs").index(of: other) == 0)
            song.mutableArrayValue(forKeyPath: "playlist.songs").removeLastObject()
            #expect(song.one("playlist") == nil && other.one("playlist") === list)
        }
    }

    @Test func valuesAreCheckedAtTheEndOfAKeyPath() throws {
        try withContext(.sqlite) { context throws in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["department": department])
            var missing: Any?
            let error = caughtError {
                try person.validateValue(&missing, forKeyPath: "department.name")
            }
            #expect(error?.code == NSValidationMissingMandatoryPropertyError)
            #expect(error?.userInfo[NSValidationObjectErrorKey] as AnyObject === department)
            var name: Any? = "E"
            try person.validateValue(&name, forKeyPath: "department.name")
            #expect(name as? String == "E" && department.text("name") == "D")
        }
    }
}
