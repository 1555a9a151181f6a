/// The methods of a class as its metadata lists them: those of its superclasses first, in an order
/// that all subclasses keep.
///
/// Source: docs/ABI/TypeMetadata.rst of the Swift project, "Class Metadata", without Objective-C.
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
