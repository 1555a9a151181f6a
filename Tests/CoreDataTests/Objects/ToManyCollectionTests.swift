import TestSupport
import Testing

@testable import CoreData

@Suite struct ToManyCollectionTests {
    private func objects(_ count: Int) throws -> [NSManagedObject] {
        let model = SampleModel.make()
        defer { withExtendedLifetime(model) {} }
        let entity = try #require(model.entitiesByName["Tag"])
        return (0..<count).map { _ in NSManagedObject(entity: entity, insertInto: nil) }
    }

    @Test(arguments: [false, true], [false, true])
    func aCollectionIsAListWithoutDuplicates(isOrdered: Bool, loadsLate: Bool) throws {
        let pool = try objects(30)
        for seed in 0..<40 as Range<UInt64> {
            var random = SplitMix(seed: seed)
            let stored = Array(pool.shuffled(using: &random).prefix(12))
            var expected = stored
            let collection = ToManyCollection()
            if !loadsLate { collection.load(stored) }
            for step in 0..<60 {
                if loadsLate, step == 40 { collection.load(stored) }
                guard let object = pool.randomElement(using: &random) else { continue }
                let position = expected.firstIndex { $0 === object }
                if let known = collection.contains(object) { #expect(known == (position != nil)) }
                if let position {
                    collection.remove(object, keepsOrder: isOrdered)
                    expected.remove(at: position)
                } else {
                    let index =
                        isOrdered && collection.isLoaded && Bool.random(using: &random)
                        ? Int.random(in: 0...expected.count, using: &random) : nil
                    collection.add(object, at: index)
                    expected.insert(object, at: index ?? expected.count)
                }
            }
            let found = try #require(collection.objects)
            #expect(Set(found) == Set(expected) && found.count == expected.count)
            let isSame = found.elementsEqual(expected) { $0 === $1 }
            #expect(isSame || !isOrdered || loadsLate)
            let changed = Set(stored).symmetricDifference(Set(expected))
            #expect(Set(collection.added + collection.removed) == changed)
            collection.unload()
            collection.load(stored)
            #expect(Set(collection.objects ?? []) == Set(expected))
            collection.markClean()
            #expect(!collection.hasChanges)
        }
    }

    @Test func aRemovalThatIsDroppedLeavesTheMemberInTheOrderThatWasMade() throws {
        let pool = try objects(3)
        let collection = ToManyCollection()
        collection.load(pool)
        collection.reorder([pool[2], pool[1], pool[0]])
        collection.remove(pool[1], keepsOrder: true)
        collection.dropRemoval(of: pool[1])
        collection.load(pool)
        #expect(collection.objects == [pool[2], pool[0], pool[1]])
        #expect(collection.removed.isEmpty)
    }

    @Test func membersWhoseRowsAreGoneAreForgottenWhereverTheyAre() throws {
        let pool = try objects(3)
        let collection = ToManyCollection()
        collection.claim(pool[0])
        collection.add(pool[1])
        for object in pool[..<2] { object.flags.insert(.gone) }
        #expect(collection.forgetGone())
        #expect(collection.claimed.isEmpty && collection.added.isEmpty)
        #expect(!collection.forgetGone())
    }

    /// Additions to a content that was not read come behind it, in the order in which they were
    /// made.
    @Test func additionsKeepTheirOrderUntilTheContentIsRead() throws {
        let pool = try objects(40)
        let stored = Array(pool.prefix(5))
        for seed in 0..<40 as Range<UInt64> {
            var random = SplitMix(seed: seed)
            let collection = ToManyCollection()
            var expected: [NSManagedObject] = []
            for _ in 0..<200 {
                guard let object = pool.dropFirst(5).randomElement(using: &random) else { continue }
                if let position = expected.firstIndex(of: object) {
                    collection.remove(object, keepsOrder: true)
                    expected.remove(at: position)
                } else {
                    collection.add(object, isOrdered: true)
                    expected.append(object)
                }
                let isChanged = pool.map(collection.isChanged)
                #expect(isChanged == pool.map(expected.contains))
                // Being asked for repairs the list: some runs are never asked.
                if seed % 2 == 0 { #expect(collection.added == expected) }
            }
            for object in expected.prefix(3) { object.flags.insert(.gone) }
            let isGone = !expected.isEmpty
            #expect(collection.forgetGone() == isGone)
            for object in expected.prefix(3) { object.flags.remove(.gone) }
            expected.removeFirst(min(3, expected.count))
            collection.load(stored)
            #expect(collection.objects == stored + expected)
            #expect(collection.removed.isEmpty)
        }
    }

    /// What is taken out of a long list must not move all that comes behind it.
    @Test(.timeLimit(.minutes(5))) func manyAdditionsAreTakenBackInTurn() throws {
        let pool = try objects(200_000)
        let collection = ToManyCollection()
        for object in pool { collection.add(object) }
        for object in pool { collection.remove(object, keepsOrder: true) }
        #expect(!collection.hasChanges && collection.added.isEmpty)
    }
}

@Suite struct IdentityMapTests {
    @Test func objectsThatGoAreNotFound() throws {
        let model = SampleModel.make()
        defer { withExtendedLifetime(model) {} }
        let entity = try #require(model.entitiesByName["Tag"])
        let map = IdentityMap()
        var object: NSManagedObject? = NSManagedObject(entity: entity, insertInto: nil)
        if let object { map.set(1, object) }
        #expect(map.object(1) === object)
        #expect(map.objects.count == 1)
        if let object { map.remove(1, object) }
        object = nil
        #expect(map.object(1) == nil)
    }

    /// Objects are looked up on one thread while their last reference goes on others.
    @Test func objectsMayGoOnAnyThread() throws {
        let stack = try TestStack(.inMemory)
        let writer = stack.makeContext(), context = stack.makeContext()
        let ids: [NSManagedObjectID] = try writer.performAndWait {
            let tags = (0..<64).map { _ in
                NSEntityDescription.insertNewObject(forEntityName: "Tag", into: writer)
            }
            try writer.save()
            return tags.map(\.objectID)
        }
        let queue = DispatchQueue(label: "release", attributes: .concurrent)
        let group = DispatchGroup()
        context.performAndWait {
            var random = SplitMix(seed: 9)
            for _ in 0..<20_000 {
                guard let id = ids.randomElement(using: &random) else { continue }
                let object = context.object(with: id)
                #expect(object.objectID == id)
                let reference = Unmanaged.passRetained(object)
                nonisolated(unsafe) let toRelease = reference
                queue.async(group: group) { toRelease.release() }
            }
        }
        #expect(group.wait(timeout: .now() + patience) == .success)
        context.performAndWait { #expect(context.registeredObjects.isEmpty) }
        withExtendedLifetime(stack) {}
    }
}

@Suite struct DeferredReleaseTests {
    /// A chain of objects that each hold the next one is let go on a small stack.
    @Test func aLongChainGoesWithoutRecursion() throws {
        let stack = try TestStack(.inMemory)
        let counter = DispatchSemaphore(value: 0)
        let length = 200_000
        nonisolated(unsafe) weak var last: NSManagedObject?
        nonisolated(unsafe) weak var middle: NSManagedObject?
        let thread = Thread {
            let model = stack.coordinator.managedObjectModel
            guard let entity = model.entitiesByName["Person"],
                let slot = entity.managedObjectModel.layout[entity]?.slotsByName["department"]
            else { return }
            var head: NSManagedObject? = NSManagedObject(entity: entity, insertInto: nil)
            last = head
            for index in 0..<length {
                let next = NSManagedObject(entity: entity, insertInto: nil)
                next.ensureOverlay().setBox(slot, head)
                head = next
                if index == length / 2 { middle = next }
            }
            head = nil
            counter.signal()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        try #require(counter.wait(timeout: .now() + patience) == .success)
        #expect(last == nil && middle == nil)
    }
}
