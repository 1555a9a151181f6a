import Foundation

/// Tells which classes override `validateValue(_:forKey:)`.
///
/// Calling it for each property of each object that is saved boxes every value, which takes most of
/// the time of an insertion; most classes don't override it. Nothing in the language says who does,
/// so this looks at the class's method table: its entry is `NSManagedObject`'s or another. Where
/// that entry is, two subclasses show, one with an override and one without.
///
/// The layout is that of Swift's ABI (docs/ABI/TypeMetadata.rst, "Class Metadata", without
/// Objective-C). If the two classes don't differ as expected, all classes count as overriding it.
///
/// > Threading: Any thread.
enum ValidationHooks {
    private class WithoutHook: NSManagedObject {}
    private final class WithHook: WithoutHook {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            preconditionFailure("WithHook is never instantiated.")
        }
    }

    /// Offsets in class metadata, in bytes from its address point.
    private enum Offset {
        static let classSize = 32
        static let addressPoint = 36
        static let methods = 56
    }

    /// The offset of the entry of `validateValue(_:forKey:)`; nil if it was not found.
    private static let entry: Int? = {
        let base = metadata(NSManagedObject.self)
        let plain = metadata(WithoutHook.self), hooked = metadata(WithHook.self)
        let end = [base, plain, hooked].map(methodsEnd).min() ?? 0
        // Initializers differ in every class; the entry is one that `WithoutHook` has inherited.
        let entries = stride(from: Offset.methods, to: end, by: MemoryLayout<UInt>.size).filter {
            word(plain, $0) == word(base, $0) && word(hooked, $0) != word(base, $0)
        }
        return entries.count == 1 ? entries[0] : nil
    }()

    /// Whether a class, or one between it and `NSManagedObject`, has an override.
    static func areOverridden(by type: NSManagedObject.Type) -> Bool {
        guard let entry else { return true }
        return word(metadata(type), entry) != word(metadata(NSManagedObject.self), entry)
    }

    private static func metadata(_ type: NSManagedObject.Type) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }

    private static func word(_ metadata: UnsafeRawPointer, _ offset: Int) -> UInt {
        metadata.load(fromByteOffset: offset, as: UInt.self)
    }

    /// Where the metadata of a class ends.
    private static func methodsEnd(_ metadata: UnsafeRawPointer) -> Int {
        let size = metadata.load(fromByteOffset: Offset.classSize, as: UInt32.self)
        let addressPoint = metadata.load(fromByteOffset: Offset.addressPoint, as: UInt32.self)
        return Int(size) - Int(addressPoint)
    }
}
