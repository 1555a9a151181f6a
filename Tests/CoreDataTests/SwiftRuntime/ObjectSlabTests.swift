import Dispatch
import Synchronization
import Testing

@testable import CoreData

/// An object in a slab, as rows and overlays are.
private final class Guest: ManagedBuffer<Guest.Content, UInt64> {
    struct Content {
        let slab: ObjectSlab?
        let onEnd: () -> Void
    }

    static func make(_ wordCount: Int, in allocator: SlabAllocator, onEnd: @escaping () -> Void)
        -> Guest?
    {
        let byteCount = ObjectMemory.elementOffset(Content.self, UInt64.self) + wordCount * 8
        guard let (memory, slab) = allocator.takeMemory(byteCount: byteCount) else { return nil }
        let guest = ObjectMemory.make(Guest.self, at: memory)
        guest.withUnsafeMutablePointers { content, words in
            content.initialize(to: Content(slab: slab, onEnd: onEnd))
            words.initialize(repeating: UInt64(wordCount), count: wordCount)
        }
        return guest
    }

    deinit {
        let slab = header.slab
        header.onEnd()
        if let slab { EndedObjects.note(slab) }
    }
}

/// Counts what ends, and whom slabs tell.
private final class Reader: SlabReader {
    let endedCount = Atomic<Int>(0)
    let forgotten = Locked<[UnsafeMutableRawPointer]>([])

    func forget(objectsAt addresses: some Sequence<UnsafeMutableRawPointer>) {
        forgotten.withLock { $0 += addresses }
    }
}

@Suite struct ObjectSlabTests {
    private func guests(
        _ counts: [Int],
        _ reader: Reader,
        in allocator: SlabAllocator = SlabAllocator()
    ) -> [Guest] {
        counts.compactMap { count in
            let guest = Guest.make(count, in: allocator) {
                reader.endedCount.add(1, ordering: .relaxed)
            }
            guest?.header.slab?.note(reader)
            return guest
        }
    }

    @Test func objectsInSlabsEndAsOthersDo() {
        let reader = Reader()
        var guests = guests(Array(0..<200), reader)
        #expect(guests.count == 200)
        for (count, guest) in guests.enumerated() {
            let words = guest.withUnsafeMutablePointerToElements {
                Array(UnsafeBufferPointer(start: $0, count: count))
            }
            #expect(words == Array(repeating: UInt64(count), count: count))
        }
        guests.removeFirst(50)
        #expect(reader.endedCount.load(ordering: .relaxed) == 50)
        let addresses = guests.map { Unmanaged.passUnretained($0).toOpaque() }
        guests = []
        #expect(reader.endedCount.load(ordering: .relaxed) == 200)
        EndedObjects.settle()
        let forgotten = Set(reader.forgotten.withLock { $0 })
        #expect(forgotten.count == 200 && forgotten.isSuperset(of: addresses))
    }

    @Test func aSlabStaysForItsLastObject() {
        let reader = Reader()
        var guests = guests(Array(repeating: 4, count: 10), reader)
        let last = guests.removeLast()
        guests = []
        EndedObjects.settle()
        #expect(reader.endedCount.load(ordering: .relaxed) == 9)
        let inSlab = last.header.slab
        let addresses = reader.forgotten.withLock { $0 }
        #expect(inSlab != nil && !addresses.contains(Unmanaged.passUnretained(last).toOpaque()))
    }

    @Test func slabsStayWhileTheyAreFilled() {
        let reader = Reader(), allocator = SlabAllocator()
        _ = guests([1, 2, 3], reader, in: allocator)
        EndedObjects.settle()
        #expect(reader.endedCount.load(ordering: .relaxed) == 3)
        #expect(reader.forgotten.withLock { $0.isEmpty })
        let more = guests([4], reader, in: allocator)
        #expect(more.count == 1)
    }

    @Test func largeObjectsGetNoPlace() {
        #expect(Guest.make(12_500, in: SlabAllocator()) {} == nil)
        #expect(Guest.make(490, in: SlabAllocator()) {} != nil)
    }

    @Test func objectsThatHaveEndedAreNotRetained() {
        let reader = Reader()
        var guests = guests([1, 1], reader)
        let word = WeakWord.word(guests[0])
        #expect(WeakWord.object(word, as: Guest.self) === guests[0])
        guests.removeFirst()
        // The memory is there for the sake of the other one.
        #expect(WeakWord.object(word, as: Guest.self) == nil)
        withExtendedLifetime(guests) {}
    }

    @Test func objectsOfOneSlabEndOnManyThreads() {
        let reader = Reader()
        let threadCount = 8, count = 4_000
        // Counted by hand, so that the last reference of each goes where the test says.
        let guests = Locked(guests((0..<count).map { $0 % 20 }, reader).map(Unmanaged.passRetained))
        DispatchQueue.concurrentPerform(iterations: threadCount) { thread in
            // Every eighth: those that lie together end on all threads.
            for index in stride(from: thread, to: count, by: threadCount) {
                guests.withLock { $0[index] }.release()
            }
            EndedObjects.settle()
        }
        #expect(reader.endedCount.load(ordering: .relaxed) == count)
        #expect(Set(reader.forgotten.withLock { $0 }).count == count)
    }

    @Test func classesTellHowLargeTheirObjectsAre() {
        class Empty {}
        class Word: Empty { var word = 0 }
        #expect(ObjectMemory.instanceSize(of: Empty.self) == 16)
        #expect(ObjectMemory.instanceSize(of: Word.self) == 24)
    }
}
