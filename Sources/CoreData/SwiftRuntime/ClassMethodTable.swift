import CSwiftRuntime
import Foundation
import Glibc

/// The methods of a class as its metadata lists them: those of its superclasses first, in an order
/// that all subclasses keep.
///
/// Serves to see which methods a class overrides (`ValidationHooks`), and to put others in the place
/// of Foundation's (`CompoundPredicateMethods`). Assumes the class metadata of
/// docs/ABI/TypeMetadata.rst of the Swift project, "Class Metadata", without Objective-C; tried on
/// two classes at first use, see `isAsExpected`. Who reads a table otherwise goes on without.
///
/// > Threading: Any thread, for reading.
struct ClassMethodTable {
    /// Offsets in bytes from the metadata's address point.
    private enum Offset {
        static let size = 32
        static let addressPoint = 36
        /// Behind kind, superclass, flags and sizes, description, and what destroys variables.
        static let methods = 56
    }

    private let metadata: UnsafeMutableRawPointer

    @inline(__always) init(_ type: AnyClass) {
        metadata = unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
    }

    /// Whether tables are read as they should be: Foundation's methods are found in the table of
    /// its class, and a subclass differs in what it overrides, and not in what it inherits.
    static let isAsExpected: Bool = {
        let base = ClassMethodTable(NSObject.self).entries
        let derived = ClassMethodTable(Probe.self).entries
        // Sane counts first: what else is there would be read as a size.
        let counts = 4...1000
        guard counts.contains(base.count), counts.contains(derived.count),
            let hash = base.firstIndex(of: Self.address(foundation_objectHash)),
            let description = base.firstIndex(of: Self.address(foundation_objectDescription)),
            derived.indices.contains(hash), derived.indices.contains(description)
        else { return false }
        return derived[hash] != base[hash] && derived[description] == base[description]
    }()

    private final class Probe: NSObject {
        override var hash: Int { 1 }
    }

    private static func address(_ method: @convention(c) () -> Void) -> UnsafeMutableRawPointer {
        unsafeBitCast(method, to: UnsafeMutableRawPointer.self)
    }

    /// Puts a subclass's methods in the place of a class's own.
    ///
    /// - Parameter methods: The methods that are replaced, as the runtime's header names them.
    /// - Returns: False if the table is not as expected, or its memory can't be made writable:
    ///   nothing has changed then.
    static func replace(
        _ methods: [@convention(c) () -> Void],
        of type: AnyClass,
        by subclass: AnyClass
    ) -> Bool {
        let own = ClassMethodTable(subclass).entries, table = ClassMethodTable(type).entries
        guard isAsExpected, makeWritable(table) else { return false }
        for method in methods {
            guard let slot = table.firstIndex(of: address(method)), own.indices.contains(slot)
            else { continue }
            table[slot] = own[slot]
        }
        return true
    }

    private static func makeWritable(
        _ table: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>
    ) -> Bool {
        // Whole pages only can be made writable, and the table need not begin with one.
        guard let start = table.baseAddress.map(UInt.init(bitPattern:)) else { return false }
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        let first = start / page * page
        let size = Int(start - first) + table.count * MemoryLayout<Int>.stride
        return mprotect(UnsafeMutableRawPointer(bitPattern: first), size, PROT_READ | PROT_WRITE)
            == 0
    }

    /// The code of a method.
    @inline(__always) subscript(index: Int) -> UnsafeMutableRawPointer? {
        first[index]
    }

    /// All entries.
    var entries: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?> {
        let size = metadata.load(fromByteOffset: Offset.size, as: UInt32.self)
        let addressPoint = metadata.load(fromByteOffset: Offset.addressPoint, as: UInt32.self)
        let byteCount = Int(size) - Int(addressPoint) - Offset.methods
        return UnsafeMutableBufferPointer(
            start: first,
            count: max(byteCount / MemoryLayout<Int>.size, 0)
        )
    }

    @inline(__always) private var first: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (metadata + Offset.methods).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }
}
