import Synchronization

/// What leads to the objects of a slab by plain words, see `WeakWord`.
protocol SlabReader: AnyObject, Sendable {
    /// Forgets objects that have ended, before their memory goes.
    func forget(objectsAt addresses: some Sequence<UnsafeMutableRawPointer>)
}

/// Memory that objects which are made together share: one allocation for some dozen.
///
/// An object in a slab has references of its own, as any other, but for its memory, which goes with that
/// of the others once all have ended. To end costs it next to nothing: neither memory to give back nor a
/// word to clear. The slab does both for all of its objects at once.
///
/// > Threading: One `SlabAllocator` fills a slab; its objects may end on any thread.
struct ObjectSlab: Equatable {
    /// What is known of the memory while it is filled. It stands before the objects, behind the number
    /// of those that are alive and the reader: others come to these meanwhile, and each of the three is
    /// reached by a pointer of its own, so that no access to one touches another.
    private struct Header {
        /// Where the next object begins, in bytes from the start.
        var end: Int
        let byteCount: Int
        var objectCount: Int
    }
    private typealias Reader = (any SlabReader)?

    /// Where an object begins, in bytes from the start. The places are noted from the end on.
    private typealias Place = UInt32

    /// Objects of Swift are aligned so.
    private static let alignment = 16
    private static let readerPlace = MemoryLayout<Int>.stride
    private static let headerPlace = readerPlace + MemoryLayout<Reader>.stride
    private static let firstPlace =
        (headerPlace + MemoryLayout<Header>.size + alignment - 1) & ~(alignment - 1)
    /// What counts as alive while objects may still be added.
    private static let filling = 1 << 32

    let address: UnsafeMutableRawPointer

    /// Takes memory for a slab.
    init(byteCount: Int) {
        address = .allocate(byteCount: byteCount, alignment: Self.alignment)
        // How many objects have not ended yet, and more than there can be as long as it is filled.
        address.initializeMemory(as: Int.self, to: Self.filling)
        reader.initialize(to: nil)
        header.initialize(
            to: Header(end: Self.firstPlace, byteCount: byteCount, objectCount: 0)
        )
    }

    /// A slab that is there already.
    init(at address: UnsafeMutableRawPointer) { self.address = address }

    @inline(__always) private var header: UnsafeMutablePointer<Header> {
        (address + Self.headerPlace).assumingMemoryBound(to: Header.self)
    }
    @inline(__always) private var reader: UnsafeMutablePointer<Reader> {
        (address + Self.readerPlace).assumingMemoryBound(to: Reader.self)
    }
    private var liveCount: UnsafeMutablePointer<Atomic<Int>> {
        // `Atomic` has the layout of what it holds.
        address.assumingMemoryBound(to: Atomic<Int>.self)
    }
    /// The last object's first.
    @inline(__always) private var places: UnsafeMutablePointer<Place> {
        (address + header.pointee.byteCount).assumingMemoryBound(to: Place.self)
            - header.pointee.objectCount
    }

    // MARK: Filling

    /// Memory for one more object; nil if there is not so much left.
    @inline(__always) func takeMemory(byteCount: Int) -> UnsafeMutableRawPointer? {
        let size = (byteCount + Self.alignment - 1) & ~(Self.alignment - 1)
        let start = header.pointee.end
        let placesSize = (header.pointee.objectCount + 1) * MemoryLayout<Place>.size
        guard start + size + placesSize <= header.pointee.byteCount else { return nil }
        header.pointee.end = start + size
        header.pointee.objectCount += 1
        places.pointee = Place(start)
        return address + start
    }

    /// No more objects are added: from here on the last one that ends frees the memory.
    func seal() { end(of: Self.filling - header.pointee.objectCount) }

    /// Notes who leads to objects of the slab by their words: the same for all of them, which calls this
    /// under its own lock.
    @inline(__always) func note(_ reader: some SlabReader) {
        guard let known = self.reader.pointee else {
            self.reader.pointee = reader
            return
        }
        require(known === reader, "The objects of one slab must be known to one reader.")
    }

    // MARK: The end

    /// Notes that so many objects have ended for good, and that the runtime is done with them.
    fileprivate func end(of count: Int) {
        guard
            liveCount.pointee.subtract(count, ordering: .acquiringAndReleasing).newValue == 0
        else { return }
        // It leads to the ended objects still. It finds all of them there, and forgets them before the
        // memory goes.
        reader.pointee?.forget(objectsAt: addresses)
        reader.deinitialize(count: 1)
        address.deallocate()
    }

    private var addresses: some Sequence<UnsafeMutableRawPointer> {
        let start = address
        return UnsafeBufferPointer(start: places, count: header.pointee.objectCount).lazy
            .map { start + Int($0) }
    }
}

/// The objects of slabs that have ended on one thread.
///
/// An object that runs its `deinit` is not done with its memory: the runtime writes to its header
/// afterwards. When the next object ends on the same thread, it is. So each thread keeps count of those
/// that have ended in one slab, and tells the slab when an object of another one ends, or the thread
/// does. That spares most of them an atomic operation, too.
final class EndedObjects {
    private static let ofThread = ThreadLocal { EndedObjects() }

    private var slab: ObjectSlab?
    private var count = 0

    private init() {}

    // With the thread.
    deinit { slab?.end(of: count) }

    /// Called by an object that is ending, as the last that its `deinit` does: no other object may end
    /// between this and the end of its memory.
    @inline(__always) static func note(_ slab: ObjectSlab) { ofThread.value.note(slab) }

    /// Has slabs know of all objects that have ended on this thread. Never called while one ends.
    static func settle() { ofThread.value.settle() }

    private func settle() {
        let slab = slab, ended = count
        self.slab = nil
        count = 0
        slab?.end(of: ended)
    }

    private func note(_ slab: ObjectSlab) {
        guard let former = self.slab, former != slab else {
            self.slab = slab
            count += 1
            return
        }
        // First: the reader that the former slab lets go of may end objects in turn.
        let ended = count
        self.slab = slab
        count = 1
        former.end(of: ended)
    }
}

/// Gives objects that are made together memory in slabs.
///
/// > Threading: Confined to whoever makes the objects.
final class SlabAllocator {
    // A few objects get little memory, since each keeps that of all; many get slabs of some dozen.
    private static let firstSize = 1 << 10
    /// Larger objects have memory of their own.
    private static let largestObject = 1 << 12

    private var slab: ObjectSlab?
    private var nextSize = firstSize
    private let largestSize: Int

    /// - Parameter largestSize: That of slabs, in bytes. A single object that stays keeps so much.
    init(largestSize: Int = 1 << 14) {
        self.largestSize = largestSize
        ObjectMemory.checked
    }

    deinit { slab?.seal() }

    /// Memory for an object and the slab that it is in; nil for an object that is too large for one.
    @inline(__always) func takeMemory(
        byteCount: Int
    ) -> (memory: UnsafeMutableRawPointer, slab: ObjectSlab)? {
        if let slab, let memory = slab.takeMemory(byteCount: byteCount) { return (memory, slab) }
        return takeMemoryOfNewSlab(byteCount: byteCount)
    }

    @inline(never) private func takeMemoryOfNewSlab(
        byteCount: Int
    ) -> (memory: UnsafeMutableRawPointer, slab: ObjectSlab)? {
        guard byteCount <= Self.largestObject else { return nil }
        slab?.seal()
        let slab = ObjectSlab(byteCount: max(nextSize, 2 * byteCount + 256))
        nextSize = min(2 * nextSize, largestSize)
        self.slab = slab
        return slab.takeMemory(byteCount: byteCount).map { ($0, slab) }
    }
}
