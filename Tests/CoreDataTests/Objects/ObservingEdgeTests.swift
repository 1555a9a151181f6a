import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Observers of values that are nothing, of no comparable type, or announced in part only.
@Suite struct ObservingEdgeTests {
    private func withBox(
        _ body: (NSManagedObjectContext, NSManagedObject) throws -> Void
    ) throws {
        let model = makeModel([
            makeEntity(
                "Box",
                [makeAttribute("name"), makeAttribute("content", .transformableAttributeType)]
            )
        ])
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        let stack = try TestStack(.sqlite, model: model)
        let context = stack.makeContext()
        try context.onQueue {
            let box = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
            try context.save()
            try body(context, box)
        }
        withExtendedLifetime(stack) {}
    }

    private final class Watcher: NSObject, KeyValueObserver {
        var changes: [[NSKeyValueChangeKey: Any]] = []
        func observeValue(
            forKeyPath keyPath: String?,
            of object: Any?,
            change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) { changes.append(change ?? [:]) }
    }

    @Test func aRefreshThatBringsTheSameValuesIsNotTold() throws {
        try withBox { context, box throws in
            let watcher = Watcher()
            for key in ["name", "content"] {
                box.addObserver(watcher, forKeyPath: key, options: [.new], context: nil)
            }
            #expect(box.value(forKey: "name") == nil)
            context.refresh(box, mergeChanges: true)
            #expect(watcher.changes.isEmpty, "Both were nothing, and are.")
            for key in ["name", "content"] { box.removeObserver(watcher, forKeyPath: key) }
        }
    }

    /// What can't be compared may be another value.
    @Test func aRefreshOfWhatCanNotBeComparedIsTold() throws {
        try withBox { context, box throws in
            box.setValue(["a": [1]] as [String: Any], forKey: "content")
            try context.save()
            _ = box.value(forKey: "content")
            let watcher = Watcher()
            box.addObserver(watcher, forKeyPath: "content", options: [.new], context: nil)
            box.setValue(["a": [2]] as [String: Any], forKey: "content")
            context.rollback()
            #expect(watcher.changes.count == 2)
            let value = watcher.changes.last?[.newKey] as? NSDictionary
            #expect(value == ["a": [1]] as NSDictionary)
            box.removeObserver(watcher, forKeyPath: "content")
        }
    }

    @Test func anObserverThatComesAmidAChangeHearsOfItsEnd() throws {
        try withBox { _, box throws in
            let watcher = Watcher()
            box.willChangeValue(forKey: "name")
            box.addObserver(watcher, forKeyPath: "name", options: [.old, .new], context: nil)
            box.setPrimitiveValue("new", forKey: "name")
            box.didChangeValue(forKey: "name")
            #expect(watcher.changes.map { $0[.newKey] as? String } == ["new"])
            box.removeObserver(watcher, forKeyPath: "name")
        }
    }

    @Test func aListenerOfAnObjectIsMadeOnce() throws {
        final class Listener: ObjectChangeListener {
            func objectChanges() {}
        }
        try withBox { _, box throws in
            let first = box.changeListener { Listener() }
            let second = box.changeListener { Listener() }
            #expect(first === second)
        }
    }

    @Test func primitiveValuesMayBeSetWhileAnObjectAwakes() throws {
        final class Awaking: NSManagedObject {
            override func awakeFromFetch() {
                super.awakeFromFetch()
                willChangeValue(forKey: "name")
                setPrimitiveValue("awake", forKey: "name")
                didChangeValue(forKey: "name")
            }
        }
        let entity = makeEntity("Box", [makeAttribute("name")])
        entity.managedObjectClassName = NSStringFromClass(Awaking.self)
        let stack = try TestStack(.sqlite, model: makeModel([entity]))
        let context = stack.makeContext()
        try context.onQueue {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
            let box = try #require(try context.fetch(request).first)
            #expect(box.value(forKey: "name") as? String == "awake")
            #expect(!context.hasChanges && !box.hasChanges)
        }
        withExtendedLifetime(stack) {}
    }

    @Test func primitiveCollectionsAreTakenAsTheyAre() throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeContext()
        context.onQueue {
            func insert(_ entity: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            }
            let list = insert("Playlist"), songs = (0..<3).map { _ in insert("Song") }
            func held() -> [NSManagedObject] {
                (list.value(forKey: "songs") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
            }
            list.setPrimitiveValue(NSOrderedSet(array: songs), forKey: "songs")
            #expect(held() == songs)
            let turned = [songs[2], songs[0]]
            list.setPrimitiveValue(NSOrderedSet(array: turned), forKey: "songs")
            #expect(held() == turned)
            // Pairs may nest: what was before the outer one counts.
            list.willChangeValue(forKey: "songs")
            list.willChangeValue(forKey: "songs")
            list.setPrimitiveValue(NSOrderedSet(array: [songs[1]]), forKey: "songs")
            list.didChangeValue(forKey: "songs")
            list.didChangeValue(forKey: "songs")
            #expect(
                held() == [songs[1]]
                    && songs[1].value(forKey: "playlist") as? NSManagedObject === list
            )
        }
        withExtendedLifetime(stack) {}
    }
}
