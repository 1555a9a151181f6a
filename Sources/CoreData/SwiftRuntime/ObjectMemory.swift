import CSwiftRuntime

/// Objects that are made without an initializer: in memory that somebody else allocates and frees, or in
/// memory of their own.
///
/// Assumes that `swift_initStackObject` makes an object whose last release runs its `deinit` and
/// leaves its memory alone, but for the counts of references in its header, and that it can't be
/// retained by `WeakWord` from then on; that a `ManagedBuffer` has its header behind the two words of an
/// object and its elements behind that; and the size of instances in a class's metadata
/// (docs/ABI/TypeMetadata.rst of the Swift project). All are tried at first use.
enum ObjectMemory {
    /// Tries the assumptions about memory, once; who makes objects so asks for it before the first.
    static let checked: Void = {
        RuntimeAssumption.require(
            leavesMemory,
            "leave the memory of an object on the stack to whoever has allocated it"
        )
        RuntimeAssumption.require(
            laysOutBuffers,
            "lay out the header and the elements of a ManagedBuffer one behind the other"
        )
    }()

    // MARK: In memory of somebody else's

    /// Makes an object of memory that has room for it and is aligned for it.
    ///
    /// The object has one reference, the caller's. Its stored properties are not initialized. Its
    /// memory has to stay until its `deinit` has returned and the release that ran it, too: the
    /// runtime writes to the object's header after `deinit`.
    @inline(__always) static func make<Object: AnyObject>(
        _ type: Object.Type,
        at memory: UnsafeMutableRawPointer
    ) -> Object {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        return Unmanaged<Object>.fromOpaque(runtime_initStackObject(metadata, memory))
            .takeRetainedValue()
    }

    /// Where a `ManagedBuffer` has its header, in bytes from the start of the object.
    static let headerOffset = 16

    /// Where it has its elements.
    @inline(__always) static func elementOffset<Header, Element>(
        _: Header.Type,
        _: Element.Type
    ) -> Int {
        let mask = MemoryLayout<Element>.alignment - 1
        return (headerOffset + MemoryLayout<Header>.size + mask) & ~mask
    }

    // MARK: In memory of their own

    /// How large the objects of a class are, in bytes; nil where classes are not laid out as expected.
    static func instanceSize(of type: AnyClass) -> Int? {
        knowsInstanceSizes ? Int(sizeWord(of: type)) : nil
    }

    /// Allocates an object of a class.
    ///
    /// The object has one reference, the caller's. Its stored properties are not initialized, so that
    /// this is for classes without any but the caller's, which need no initializer.
    ///
    /// - Parameter size: That of its instances.
    @inline(__always) static func allocate<Object: AnyObject>(
        _ type: Object.Type,
        size: Int
    ) -> Object {
        let metadata = unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
        let object = runtime_allocObject(metadata, UInt(size), alignmentMask)
        return Unmanaged<Object>.fromOpaque(object).takeRetainedValue()
    }

    /// Objects whose properties are aligned to words.
    private static let alignmentMask: UInt = 7

    private static func sizeWord(of type: AnyClass) -> UInt32 {
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 24, as: UInt32.self)
    }

    private class Empty {}
    private class Word: Empty {
        var word = 0
    }
    private final class WordAndByte: Word {
        var byte: UInt8 = 0
    }

    private static let knowsInstanceSizes =
        sizeWord(of: Empty.self) == 16 && sizeWord(of: Word.self) == 24
        && sizeWord(of: WordAndByte.self) == 25

    // MARK: The assumptions

    private final class Outcome {
        var hasEnded = false
    }
    private final class Probe: ManagedBuffer<Outcome, UInt8> {
        // To another object: what is written to one that ends may be left out.
        deinit { header.hasEnded = true }
    }
    /// How many bytes a probe has behind its header.
    private static let probeCount = 64

    private static var leavesMemory: Bool {
        let offset = elementOffset(Outcome.self, UInt8.self), size = offset + probeCount
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { memory.deallocate() }
        let outcome = Outcome()
        guard let word = wordOfProbe(at: memory, outcome) else { return false }
        return outcome.hasEnded && WeakWord.object(word, as: Probe.self) == nil
            && (offset..<size).allSatisfy { memory.load(fromByteOffset: $0, as: UInt8.self) == 7 }
    }

    /// Makes a probe and lets go of it.
    ///
    /// - Returns: Its word; nil if it could not be retained as long as it was there.
    // A function of its own, for the compiler may put off the last release within one.
    @inline(never) private static func wordOfProbe(
        at memory: UnsafeMutableRawPointer,
        _ outcome: Outcome
    ) -> UInt? {
        let probe = make(Probe.self, at: memory)
        probe.withUnsafeMutablePointers { header, bytes in
            header.initialize(to: outcome)
            bytes.initialize(repeating: 7, count: probeCount)
        }
        return withExtendedLifetime(probe) {
            let word = WeakWord.word(probe)
            let isSame = WeakWord.object(word, as: Probe.self) === probe
            return isSame && !outcome.hasEnded ? word : nil
        }
    }

    private static var laysOutBuffers: Bool {
        isLaidOut(UInt32(0), UInt64.self) && isLaidOut((UInt64(0), UInt8(0)), UInt8.self)
    }

    private static func isLaidOut<Header, Element>(_ header: Header, _ element: Element.Type)
        -> Bool
    {
        let buffer = ManagedBuffer<Header, Element>.create(minimumCapacity: 1) { _ in header }
        let start = Unmanaged.passUnretained(buffer).toOpaque()
        return buffer.withUnsafeMutablePointers { header, elements in
            UnsafeMutableRawPointer(header) == start + headerOffset
                && UnsafeMutableRawPointer(elements)
                    == start + elementOffset(Header.self, Element.self)
        }
    }
}
