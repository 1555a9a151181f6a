import CSwiftRuntime
import Foundation

/// The classes of the process by their last name, so that a model that says `Person` finds the class
/// `Person` of any module, also one in another type or one that its file keeps to itself.
///
/// Reads the type records that compilers leave in each image. Assumes the order of the ranges in
/// `MetadataSections` (see the runtime's header) and the descriptors of Swift's
/// `docs/ABI/TypeMetadata.rst`, Nominal Type Descriptors; tried on a class of its own at first use.
/// Objects of the wrong classes would lose clients' code without a word, so the program stops where
/// it is otherwise.
///
/// > Threading: Any thread.
enum ClassCatalog {
    /// The classes that a name may mean, by the order of their full names.
    ///
    /// - Parameter name: A class's name, or the full name that `NSStringFromClass` gives.
    static func classes(named name: String) -> [AnyClass] {
        checked
        return found(name)
    }

    private static let checked: Void = RuntimeAssumption.require(
        found("ClassCatalogProbe").contains { $0 == ClassCatalogProbe.self },
        "list the classes of the program"
    )

    private static func found(_ name: String) -> [AnyClass] {
        let last = name.split(separator: ".").last.map { String($0) } ?? name
        let found = descriptors(last).compactMap(\.type)
        let isFull = name.contains(".")
        // Records stand in the order of the linker: sorted, every build chooses the same class.
        return found.filter { !isFull || String(reflecting: $0) == name }
            .sorted { String(reflecting: $0) < String(reflecting: $1) }
    }

    /// The module of a class.
    static func module(of type: AnyClass) -> Substring {
        String(reflecting: type).prefix { $0 != "." }
    }

    /// How many images with Swift types the process has loaded.
    ///
    /// Asked for each registry of objects: it takes no memory.
    static var imageCount: Int {
        var count = 0
        withUnsafeMutablePointer(to: &count) { count in
            runtime_enumerateMetadataSections(
                { words, count in
                    if words != nil { count?.assumingMemoryBound(to: Int.self).pointee += 1 }
                    return true
                },
                count
            )
        }
        return count
    }

    // MARK: The records

    private struct Index {
        var imageCount = 0
        var descriptors: [String: [ClassDescriptor]] = [:]
    }
    private static let index = Locked(Index())

    private static func descriptors(_ name: String) -> [ClassDescriptor] {
        let sections = typeSections()
        return index.withLock { index in
            // Images may have been loaded since.
            if index.imageCount != sections.count {
                index = Index(imageCount: sections.count)
                for section in sections { add(section, to: &index) }
            }
            return index.descriptors[name] ?? []
        }
    }

    private static func add(_ section: UnsafeRawBufferPointer, to index: inout Index) {
        guard let base = section.baseAddress else { return }
        // A record is a relative pointer of 32 bits, to a descriptor or to a pointer to one.
        for offset in stride(from: 0, to: section.count - 3, by: 4) {
            let descriptor = ClassDescriptor(record: base + offset)
            guard let descriptor, let name = descriptor.name else { continue }
            index.descriptors[name, default: []].append(descriptor)
        }
    }

    /// The type records of each image.
    private static func typeSections() -> [UnsafeRawBufferPointer] {
        var sections: [UnsafeRawBufferPointer] = []
        // The runtime calls back as C does, without captures: the list goes along as an argument.
        withUnsafeMutablePointer(to: &sections) { sections in
            runtime_enumerateMetadataSections(
                { words, sections in
                    guard let words, let sections else { return true }
                    let start = UnsafeRawPointer(bitPattern: words[typeRecordsIndex])
                    let range = UnsafeRawBufferPointer(
                        start: start,
                        count: start == nil ? 0 : Int(words[typeRecordsIndex + 1])
                    )
                    sections.assumingMemoryBound(to: [UnsafeRawBufferPointer].self).pointee
                        .append(range)
                    return true
                },
                sections
            )
        }
        return sections
    }
}

/// A class to look for.
private final class ClassCatalogProbe {}

/// The words before the range of type records: a version, the image's address, two unused ones, and
/// the ranges of protocols and of conformances.
private let typeRecordsIndex = 8

/// The context descriptor of a class without generic parameters.
private struct ClassDescriptor: @unchecked Sendable {
    // @unchecked: constant data of an image.

    private let address: UnsafeRawPointer

    /// The descriptor that a type record points to, if it is of such a class.
    init?(record: UnsafeRawPointer) {
        let value = record.load(as: Int32.self)
        let target = record + Int(value & ~3)
        // The low bits are no part of the distance: 0 leads to the descriptor, 1 to a pointer to
        // it.
        switch value & 3 {
        case 0: address = target
        case 1:
            guard let indirect = target.load(as: UnsafeRawPointer?.self) else { return nil }
            address = indirect
        default: return nil
        }
        // `ContextDescriptorFlags`: kind 16 is a class, and the bit 0x80 is set for generic ones.
        let flags = address.load(as: UInt32.self)
        let isClass = flags & 0x1f == 16, isGeneric = flags & 0x80 != 0
        guard isClass, !isGeneric else { return nil }
    }

    var name: String? {
        // Behind flags and parent.
        let field = address + 8
        let text = field + Int(field.load(as: Int32.self))
        return String(validatingCString: text.assumingMemoryBound(to: CChar.self))
    }

    /// The class itself; nil if it can't be had.
    var type: AnyClass? {
        typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer
        // Behind the name: the function that gives the metadata.
        let field = address + 12
        let offset = field.load(as: Int32.self)
        guard offset != 0 else { return nil }
        let accessor = unsafeBitCast(field + Int(offset), to: Accessor.self)
        // Request 0 asks for metadata that is complete, and waits for it.
        return unsafeBitCast(accessor(0), to: AnyClass.self)
    }
}
