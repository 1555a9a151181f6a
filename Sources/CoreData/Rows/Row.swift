import Foundation
import Synchronization

/// What stands before the slots of a packed row.
struct RowHeader {
    /// What is between the row, a cache and a slab, see `Row.placeWord`.
    var placeWord: UInt
    var primaryKey: Int64
    /// `Z_OPT`: 1 for a row just inserted, one more with each update.
    var version: Int32
    /// The concrete entity's index in `ModelLayout.entities`.
    var entityIndex: UInt16
    var slotCount: UInt16
}

/// One row of a store: immutable packed bytes, shared by all contexts that have read it.
///
/// Layout of the elements: null bits (one word for 64 slots), one word a slot, then the tail with
/// text and blobs. A slot in the tail holds its offset (high 32 bits) and its length.
/// Strings are made when they are read.
///
/// > Threading: Immutable once made; pass it between threads freely.
final class Row: ManagedBuffer<RowHeader, UInt64> {
    // Not Sendable only because ManagedBuffer rules it out; types that carry rows say @unchecked.
    // Written only by the code that makes it, before anyone else has it, but for `placeWord`.

    /// A row with all slots null, to be filled by the caller before it is shared.
    ///
    /// - Parameter allocator: Who has memory for many rows; nil for a row with memory of its own.
    static func make(
        entityIndex: Int,
        slotCount: Int,
        primaryKey: Int64,
        version: Int32,
        tailByteCount: Int,
        in allocator: SlabAllocator? = nil
    ) -> Row {
        let shape = Shape(slotCount: slotCount, tailByteCount: tailByteCount)
        var header = RowHeader(
            placeWord: 0,
            primaryKey: primaryKey,
            version: version,
            entityIndex: UInt16(truncatingIfNeeded: entityIndex),
            slotCount: UInt16(truncatingIfNeeded: slotCount)
        )
        let row: Row
        if let place = allocator?.takeMemory(byteCount: shape.byteCount) {
            header.placeWord = UInt(bitPattern: place.slab.address) | isInSlab
            row = ObjectMemory.make(Row.self, at: place.memory)
            row.withUnsafeMutablePointerToHeader { $0.initialize(to: header) }
        } else {
            let buffer = Row.create(minimumCapacity: shape.wordCount) { [header] _ in header }
            row = unsafeDowncast(buffer, to: Row.self)
        }
        row.withUnsafeMutablePointerToElements { words in
            // All null: filling a slot clears its bit, and nothing sets one.
            for word in 0..<shape.nullWordCount { words[word] = .max }
        }
        return row
    }

    /// How many words a row has behind its header.
    private struct Shape {
        let nullWordCount: Int
        let wordCount: Int

        @inline(__always) init(slotCount: Int, tailByteCount: Int) {
            nullWordCount = (slotCount + 63) / 64
            wordCount = nullWordCount + slotCount + (tailByteCount + 7) / 8
        }

        @inline(__always) var byteCount: Int {
            ObjectMemory.elementOffset(RowHeader.self, UInt64.self)
                + wordCount * MemoryLayout<UInt64>.size
        }
    }

    deinit {
        let word = placeWord.pointee.load(ordering: .acquiring)
        guard let pointer = UnsafeMutableRawPointer(bitPattern: word & ~Self.flags) else { return }
        if word & Self.isInSlab != 0 {
            // The cache leads here still, and finds that the row can't be retained: the slab clears
            // the words of all its rows at once.
            EndedObjects.note(ObjectSlab(at: pointer))
            return
        }
        // The header's reference is let go at the end of this.
        let cache = Unmanaged<RowCache>.fromOpaque(pointer).takeRetainedValue()
        // This takes the cache's lock, so the last reference to a row must never be released while
        // that lock is held.
        if word & Self.isReplaced == 0 { cache.forget(self, primaryKey) }
    }

    /// Where the part of a row lies that is not fetched along with its header: the processor's cache
    /// has lines of 64 bytes.
    static let firstValuesOffset = 64

    var primaryKey: Int64 { withUnsafeMutablePointerToHeader { $0.pointee.primaryKey } }
    var version: Int32 { withUnsafeMutablePointerToHeader { $0.pointee.version } }
    var entityIndex: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.entityIndex) } }
    var reference: RowReference {
        RowReference(entityIndex: entityIndex, primaryKey: primaryKey)
    }
    @inline(__always) var slotCount: Int {
        withUnsafeMutablePointerToHeader { Int($0.pointee.slotCount) }
    }
    @inline(__always) var nullWordCount: Int { (slotCount + 63) / 64 }

    // MARK: The cache

    /// Whether the cache has something else in the row's place by now.
    private static let isReplaced: UInt = 1
    /// Whether the row is in a cache, or was.
    private static let wasEntered: UInt = 2
    /// Whether the row's memory is that of a slab.
    private static let isInSlab: UInt = 4
    private static let flags = isReplaced | wasEntered | isInSlab

    /// The address of the slab that the row is in, or else of the cache that it is in or was, and
    /// flags. A slab knows the cache of its rows. The row keeps the cache alive.
    ///
    /// Set by the cache alone, under its lock, once the row is made; read by anyone.
    @inline(__always) private var placeWord: UnsafePointer<Atomic<UInt>> {
        // The header's first field. `Atomic` has the layout of what it holds.
        withUnsafeMutablePointerToHeader {
            UnsafeRawPointer($0).assumingMemoryBound(to: Atomic<UInt>.self)
        }
    }

    /// Whether the row is in a cache: no commit that this was told of has changed the row since it
    /// was read.
    @inline(__always) var isNewestKnown: Bool {
        placeWord.pointee.load(ordering: .acquiring) & (Self.wasEntered | Self.isReplaced)
            == Self.wasEntered
    }
    /// Whether the row is in a cache, or was.
    var wasCached: Bool { placeWord.pointee.load(ordering: .relaxed) & Self.wasEntered != 0 }

    /// Called by the cache that takes the row in.
    @inline(__always) func enter(_ cache: RowCache) {
        let word = placeWord.pointee.load(ordering: .relaxed)
        if word & Self.isInSlab != 0,
            let slab = UnsafeMutableRawPointer(bitPattern: word & ~Self.flags)
        {
            ObjectSlab(at: slab).note(cache)
            placeWord.pointee.store(
                (word | Self.wasEntered) & ~Self.isReplaced,
                ordering: .releasing
            )
            return
        }
        let address = Unmanaged.passUnretained(cache)
        if word & Self.wasEntered == 0 { _ = address.retain() }
        let entered = UInt(bitPattern: address.toOpaque()) | Self.wasEntered
        placeWord.pointee.store(entered, ordering: .releasing)
    }

    /// Called by the cache that has something else in the place of the row at an address. The last that
    /// it does with a row of its own memory, whose `deinit` does not wait for the cache's lock from
    /// here on.
    ///
    /// By its address, for the row may have ended: one in a slab stays in the cache for a while.
    @inline(__always) static func leaveCache(at address: UnsafeMutableRawPointer) {
        let word = header(at: address).assumingMemoryBound(to: Atomic<UInt>.self)
        word.pointee.store(word.pointee.load(ordering: .relaxed) | isReplaced, ordering: .releasing)
    }

    /// The primary key of the row at an address, which may have ended if its slab is still there.
    @inline(__always) static func primaryKey(at address: UnsafeMutableRawPointer) -> Int64 {
        header(at: address).assumingMemoryBound(to: RowHeader.self).pointee.primaryKey
    }

    @inline(__always) private static func header(
        at address: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        address + ObjectMemory.headerOffset
    }

    // MARK: Reading

    @inline(__always) func isNull(_ slot: Int) -> Bool {
        withUnsafeMutablePointerToElements { $0[slot >> 6] & (1 << UInt64(slot & 63)) != 0 }
    }
    @inline(__always) func word(_ slot: Int) -> UInt64 {
        let nulls = nullWordCount
        return withUnsafeMutablePointerToElements { $0[nulls + slot] }
    }
    /// 0 if null.
    @inline(__always) func integer(_ slot: Int) -> Int64 { Int64(bitPattern: word(slot)) }
    /// 0 if null.
    @inline(__always) func real(_ slot: Int) -> Double { Double(bitPattern: word(slot)) }

    /// `nil` if null.
    @inline(__always) func reference(_ slot: Int) -> RowReference? {
        isNull(slot) ? nil : RowReference(rawValue: word(slot))
    }

    /// The bytes of a slot in the tail; empty if null.
    @inline(__always) func withTail<R>(_ slot: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let nulls = nullWordCount, slots = slotCount
        return withUnsafeMutablePointerToElements { words in
            let word = words[nulls + slot]
            let tail = UnsafeRawPointer(words + nulls + slots)
            return body(
                UnsafeRawBufferPointer(
                    start: tail + Int(word >> 32),
                    count: Int(word & 0xffff_ffff)
                )
            )
        }
    }
    /// Empty if null.
    @inline(__always) func text(_ slot: Int) -> String {
        withTail(slot) { String(decoding: $0, as: UTF8.self) }
    }
    /// Empty if null.
    func bytes(_ slot: Int) -> Data { withTail(slot) { Data($0) } }

    /// The slot's value in the form that its kind has outside a row.
    func value(_ slot: Int, _ kind: StorageKind) -> SlotValue {
        guard kind.isInRow, !isNull(slot) else { return .null }
        switch kind.form {
        case .integer, .boolean: return .integer(integer(slot))
        case .real: return .real(real(slot))
        case .text: return .text(text(slot))
        case .bytes: return .bytes(bytes(slot))
        case .reference: return .reference(RowReference(rawValue: word(slot)))
        case .members, .volatile: return .null
        }
    }

    // MARK: Filling, before the row is shared

    @inline(__always) func fill(_ slot: Int, word: UInt64) {
        let nulls = nullWordCount
        withUnsafeMutablePointerToElements {
            $0[nulls + slot] = word
            $0[slot >> 6] &= ~(1 << UInt64(slot & 63))
        }
    }
    /// Zeroes the word of a null slot, so that reading it gives 0 or an empty text.
    @inline(__always) func fillNull(_ slot: Int) {
        let nulls = nullWordCount
        withUnsafeMutablePointerToElements { $0[nulls + slot] = 0 }
    }
    /// Copies `bytes` to `offset` in the tail and moves `offset` behind them.
    @inline(__always) func fill(
        _ slot: Int,
        tail bytes: UnsafeRawBufferPointer,
        at offset: inout Int
    ) {
        let nulls = nullWordCount, slots = slotCount
        withUnsafeMutablePointerToElements { words in
            if let base = bytes.baseAddress, bytes.count > 0 {
                (UnsafeMutableRawPointer(words + nulls + slots) + offset)
                    .copyMemory(from: base, byteCount: bytes.count)
            }
            // 32 bits suffice for each: SQLite has no row of more than 1,000,000,000 bytes
            // ("Limits In SQLite", SQLITE_MAX_LENGTH).
            words[nulls + slot] = UInt64(offset) << 32 | UInt64(bytes.count)
            words[slot >> 6] &= ~(1 << UInt64(slot & 63))
        }
        offset += bytes.count
    }
}
