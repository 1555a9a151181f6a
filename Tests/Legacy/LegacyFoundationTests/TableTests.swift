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
