import Foundation
import LegacyFoundation
import Testing

@Suite struct TableTests {
    private final class Thing: NSObject {}

    @Test func weakValuesGoWithTheirObject() {
        let table = NSMapTable<NSString, Thing>.strongToWeakObjects()
        var thing: Thing? = Thing()
        table.setObject(thing, forKey: "a")
        #expect(table.object(forKey: "a") === thing)
        #expect(table.count == 1)
        thing = nil
        #expect(table.object(forKey: "a") == nil)
        #expect(table.count == 0)
    }

    @Test func weakKeysTakeTheirValueAlong() {
        let table = NSMapTable<Thing, NSString>.weakToStrongObjects()
        var key: Thing? = Thing()
        table.setObject("value", forKey: key)
        #expect(table.object(forKey: key) == "value")
        key = nil
        #expect(table.count == 0)
        #expect(table.objectEnumerator()?.allObjects.isEmpty == true)
    }

    @Test func equalKeysAreOne() {
        let table = NSMapTable<NSString, NSNumber>.strongToStrongObjects()
        table.setObject(1, forKey: NSString(string: "key"))
        table.setObject(2, forKey: NSString(string: "key"))
        #expect(table.count == 1)
        #expect(table.object(forKey: NSString(string: "key")) == 2)
        #expect(table.dictionaryRepresentation()["key" as NSString] == 2)
        table.removeObject(forKey: "key")
        #expect(table.keyEnumerator().allObjects.isEmpty)
    }

    @Test func identityIsAChoice() {
        let one = NSMutableString(string: "same")
        let other = NSMutableString(string: "same")
        let table = NSHashTable<NSMutableString>(options: [.weakMemory, .objectPointerPersonality])
        table.add(one)
        #expect(table.contains(one))
        #expect(!table.contains(other))
        table.add(other)
        #expect(table.count == 2)
        table.remove(one)
        #expect(table.allObjects == [other])
    }

    /// New objects get the addresses of those that have gone.
    @Test func tablesOfObjectsThatComeAndGoStaySmall() {
        let set = NSHashTable<Thing>.weakObjects()
        let keys = NSMapTable<Thing, NSNumber>.weakToStrongObjects()
        let values = NSMapTable<NSNumber, Thing>.strongToWeakObjects()
        let kept = (0..<100).map { _ in Thing() }
        weak var first: NSObject?
        do {
            let value = NSObject()
            first = value
            let table = NSMapTable<Thing, NSObject>.weakToStrongObjects()
            do { table.setObject(value, forKey: Thing()) }
            for thing in kept { table.setObject(NSObject(), forKey: thing) }
            #expect(table.count == 100)
            withExtendedLifetime(table) {}
        }
        #expect(first == nil)
        for round in 0..<5_000 {
            let thing = round % 50 == 0 ? kept[round / 50] : Thing()
            set.add(thing)
            keys.setObject(NSNumber(value: round), forKey: thing)
            values.setObject(thing, forKey: NSNumber(value: round))
        }
        #expect(Set(set.allObjects) == Set(kept) && set.count == 100)
        #expect(keys.count == 100 && values.count == 100)
        for (index, thing) in kept.enumerated() {
            #expect(keys.object(forKey: thing) == NSNumber(value: index * 50))
            keys.removeObject(forKey: thing)
            set.remove(thing)
        }
        #expect(keys.count == 0 && set.count == 0)
    }

    @Test func weakSetsForget() {
        let set = NSHashTable<Thing>.weakObjects()
        let kept = Thing()
        set.add(kept)
        do { set.add(Thing()) }
        #expect(set.allObjects == [kept])
        #expect(set.anyObject === kept)
        set.add(kept)
        #expect(set.count == 1)
    }
}
