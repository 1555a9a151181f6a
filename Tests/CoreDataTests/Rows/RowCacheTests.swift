import Dispatch
import TestSupport
import Testing

@testable import CoreData

@Suite struct RowCacheTests {
    private func row(
        _ key: Int64,
        version: Int32 = 1,
        tail: Int = 0,
        in allocator: SlabAllocator? = nil
    ) -> Row {
        Row.make(
            entityIndex: 0,
            slotCount: 1,
            primaryKey: key,
            version: version,
            tailByteCount: tail,
            in: allocator
        )
    }

    private func cached(_ cache: RowCache, _ key: Int64) -> Row? {
        if case .row(let row) = cache.entry(key) { row } else { nil }
    }

    @Test func rowsAreKnownForAsLongAsTheyAreHeld() {
        let cache = RowCache()
        var held: Row? = row(1)
        if let held { cache.insert(held, readAt: cache.commitCount) }
        #expect(cached(cache, 1) === held)
        #expect(cache.row(1, version: 1) === held)
        #expect(cache.row(1, version: 2) == nil)
        held = nil
        #expect(cached(cache, 1) == nil)
    }

    @Test func whatWasReadBeforeACommitStaysOut() {
        let cache = RowCache()
        let before = cache.commitCount
        let old = row(1), new = row(1, version: 2)
        cache.commit(written: [new], deleted: [])
        cache.insert(old, readAt: before)
        #expect(cached(cache, 1) === new)
        #expect(!old.wasCached && new.wasCached)
    }

    @Test func deletedRowsStayDeleted() {
        let cache = RowCache()
        let held = row(1)
        cache.insert(held, readAt: 0)
        cache.commit(written: [], deleted: [1])
        guard case .deleted = cache.entry(1) else {
            Issue.record("The row is not known to be deleted.")
            return
        }
        #expect(cache.row(1, version: 1) == nil)
    }

    @Test func anOldRowThatGoesLeavesTheNewOne() {
        let cache = RowCache()
        var old: Row? = row(1)
        if let old { cache.insert(old, readAt: 0) }
        let new = row(1, version: 2)
        cache.commit(written: [new], deleted: [])
        old = nil
        #expect(cached(cache, 1) === new)
        cache.invalidate(1)
        #expect(cached(cache, 1) == nil)
        withExtendedLifetime(new) {}
    }

    @Test func aRowKnowsWhetherItsCacheHasSomethingNewer() {
        let cache = RowCache()
        let rows = (1...4).map { row(Int64($0)) }
        #expect(rows.allSatisfy { !$0.isNewestKnown && !$0.wasCached })
        for row in rows { cache.insert(row, readAt: 0) }
        #expect(rows.allSatisfy { $0.isNewestKnown && $0.wasCached })
        let newer = row(1, version: 2)
        cache.commit(written: [newer], deleted: [])
        cache.commit(changed: [2], deleted: [3])
        cache.invalidate(4)
        #expect(rows.allSatisfy { !$0.isNewestKnown && $0.wasCached })
        #expect(newer.isNewestKnown)
        // A row may come back: a merge puts in what it has.
        cache.insert(rows[3], readAt: cache.commitCount)
        #expect(rows[3].isNewestKnown && cached(cache, 4) === rows[3])
    }

    @Test func aRowOutlivesItsCachesOtherUsers() {
        var cache: RowCache? = RowCache()
        weak let watched = cache
        let held = row(1)
        do {
            let replaced = row(2)
            for row in [held, replaced] { cache?.insert(row, readAt: 0) }
            cache?.invalidate(2)
        }
        cache = nil
        // The row tells its cache when it goes.
        #expect(watched != nil && held.isNewestKnown)
        withExtendedLifetime(held) {}
    }

    @Test func rowsInSlabsAreKnownForAsLongAsTheyAreHeld() {
        let cache = RowCache(), allocator = SlabAllocator()
        var held = (1...100).map { row(Int64($0), tail: $0, in: allocator) }
        cache.insert(held, readAt: 0)
        #expect(cache.count == 100)
        #expect(held.allSatisfy { $0.isNewestKnown && cached(cache, $0.primaryKey) === $0 })
        let kept = held[49]
        held = []
        // Those beside it have ended, though their memory is there still.
        #expect((1...100).filter { cached(cache, Int64($0)) != nil } == [50])
        #expect(cache.row(50, version: 1) === kept && kept.primaryKey == 50)
    }

    @Test func slabsWhoseRowsHaveEndedLeaveTheirCache() {
        let cache = RowCache()
        do {
            let allocator = SlabAllocator()
            cache.insert((1...100).map { row(Int64($0), in: allocator) }, readAt: 0)
        }
        EndedObjects.settle()
        #expect(cache.count == 0)
    }

    @Test func rowsThatHaveEndedAreReplaced() {
        let cache = RowCache(), allocator = SlabAllocator()
        let kept = row(1, in: allocator)
        cache.insert((2...4).map { row($0, in: allocator) }, readAt: 0)
        // The slab is there for the sake of the first row, and the cache leads to the others.
        let newer = row(2, version: 2)
        cache.commit(written: [newer], deleted: [3])
        cache.commit(changed: [4], deleted: [])
        #expect(cached(cache, 2) === newer)
        guard case .deleted = cache.entry(3) else {
            Issue.record("The row is not known to be deleted.")
            return
        }
        #expect(cached(cache, 4) == nil)
        withExtendedLifetime(kept) {}
    }

    @Test func rowsInSlabsKnowWhetherTheyAreReplaced() {
        let cache = RowCache(), allocator = SlabAllocator()
        let rows = (1...3).map { row(Int64($0), in: allocator) }
        #expect(rows.allSatisfy { !$0.isNewestKnown && !$0.wasCached })
        cache.insert(rows[0], readAt: 0)
        cache.insert(rows[1], readAt: 0)
        cache.invalidate(1)
        #expect(!rows[0].isNewestKnown && rows[0].wasCached)
        #expect(rows[1].isNewestKnown && !rows[2].wasCached)
    }

    @Test func threadsSeeVersionsGrowOnly() {
        let cache = RowCache()
        let keys: Int64 = 64
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = SplitMix(seed: UInt64(thread))
            var seen = [Int32](repeating: 0, count: Int(keys) + 1)
            var held: [Row] = []
            let allocator = SlabAllocator(largestSize: 1 << 11)
            for step in 0..<20_000 {
                let key = Int64.random(in: 1...keys, using: &random)
                if thread == 0 {
                    // The only writer; readers let go of rows all the time.
                    cache.commit(written: [row(key, version: Int32(step + 1))], deleted: [])
                    let next = row(key, version: Int32(step + 1), in: allocator)
                    cache.insert(next, readAt: cache.commitCount)
                    held.append(next)
                } else if let found = cached(cache, key) {
                    if found.primaryKey != key || found.version < seen[Int(key)] {
                        Issue.record("A row went back to an earlier version.")
                        return
                    }
                    seen[Int(key)] = found.version
                    held.append(found)
                }
                if held.count > 32 { held.removeFirst(16) }
            }
        }
    }
}

@Suite struct SlotSetTests {
    @Test func aSlotSetIsASetOfNumbers() {
        var random = SplitMix(seed: 5)
        var set = SlotSet()
        var reference = Set<Int>()
        for _ in 0..<5_000 {
            let slot = Int.random(in: 0..<200, using: &random)
            if Bool.random(using: &random) {
                set.insert(slot)
                reference.insert(slot)
            } else {
                set.remove(slot)
                reference.remove(slot)
            }
            #expect(set.contains(slot) == reference.contains(slot))
        }
        #expect(set.members == reference.sorted())
        #expect(set.isEmpty == reference.isEmpty)
        var other = SlotSet()
        for slot in [0, 63, 64, 300] { other.insert(slot) }
        set.formUnion(other)
        #expect(set.members == reference.union([0, 63, 64, 300]).sorted())
        for slot in set.members { set.remove(slot) }
        #expect(set == SlotSet())
        #expect(set.isEmpty)
    }
}
