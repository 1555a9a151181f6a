import Foundation

/// Makes objects of what stands in a keyed archive: those of Foundation by itself, others by
/// their own `init(coder:)` if their class is allowed.
///
/// The archive may have been made to do harm: no class is looked for that is not allowed, circles
/// and deep nesting are refused, and so are parts that are shared so often that the whole would be
/// far larger than the archive, and sets and keys whose hashes agree so often that comparing them
/// would not end.
///
/// > Threading: One thread at a time.
final class ArchivedValueReader {
    private static let maximumDepth = 128

    /// How large an object is, parts that are shared counted each time.
    struct Size {
        /// The number of objects.
        var weight: Int
        /// What comparing it with another one takes, in comparisons of short strings; as much as
        /// that is what making it takes.
        var effort = 0

        static func += (size: inout Size, part: Size) {
            size.weight += part.weight
            size.effort += part.effort
        }
    }

    private struct Made {
        let value: Any
        let size: Size
    }

    private let archive: KeyedArchive
    private let maximum: Size
    /// What is made already, by place.
    private var made: [Int: Made] = [:]
    /// The places whose objects are being made, outermost first.
    private var open: [Int] = []
    /// The size of what is being made, innermost last.
    private var sizes: [Size] = []

    init(_ archive: KeyedArchive) {
        self.archive = archive
        let count = archive.objects.count
        // A limit in proportion alone would refuse small archives that share much; a fixed one
        // would refuse large archives that share little.
        maximum = Size(weight: max(1_000_000, 8 * count), effort: max(8_000_000, 16 * count))
    }

    /// The object that was archived; nil for an archive of nil.
    static func read(
        _ data: Data,
        allowing classes: [AnyClass],
        maximumByteCount: Int = PropertyList.maximumByteCount
    ) throws(ArchiveError) -> Any? {
        let archive = try KeyedArchive(data, maximumByteCount: maximumByteCount)
        return try ArchivedValueReader(archive).object(archive.root(), allowing: classes)
    }

    /// The object of a value: nil for nil.
    func object(
        _ value: ArchivedValue,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> Any? {
        switch value {
        case .null:
            return nil
        case .plain(let plain):
            let value = try foundationValue(plain)
            let type: AnyClass = classOf(value)
            try check(type, named: "\(type)", among: classes)
            try add(Self.size(of: value))
            return value
        case .object(let object):
            if let known = made[object.place] {
                // Once more: what one field may hold is not always allowed in another.
                try check(classOf(known.value), named: object.className, among: classes)
                try add(known.size)
                return known.value
            }
            return try make(object, allowing: classes)
        }
    }

    /// The object of a value that must not be nil.
    func element(
        _ value: ArchivedValue,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> Any {
        guard let object = try object(value, allowing: classes) else {
            throw ArchiveError(reason: "a collection holds nil")
        }
        return object
    }

    private func make(
        _ object: ArchivedObject,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> Any {
        // The depth is bounded, so that a search through the open places stays cheap.
        guard !open.contains(object.place) else {
            throw ArchiveError(reason: "an object is a part of itself")
        }
        guard open.count < Self.maximumDepth else {
            throw ArchiveError(reason: "its objects are nested too deep")
        }
        open.append(object.place)
        sizes.append(Size(weight: 0))
        defer {
            open.removeLast()
            sizes.removeLast()
        }
        let value: Any
        // Foundation's classes never go through their own `init(coder:)`, which may stop the
        // process for crafted fields.
        if let kind = FoundationArchive(rawValue: object.className) {
            try check(kind.type, named: object.className, among: classes)
            value = try kind.make(object, reader: self, allowing: classes)
        } else if let kind = AttributeKinds.archived(className: object.className),
            let form = kind.archive, let type = kind.valueClass
        {
            try check(type, named: object.className, among: classes)
            value = try FoundationArchive.scalar(object, kind, form)
        } else {
            value = try makeOther(object, allowing: classes)
        }
        try add(Self.size(of: value))
        // Each part has added its own size by now, so this is the size of the whole. It is kept,
        // since every later reference to this object counts it again.
        let size = sizes[sizes.count - 1]
        made[object.place] = Made(value: value, size: size)
        if sizes.count > 1 { try add(size, at: sizes.count - 2) }
        return value
    }

    /// The effort of what is being made, so far.
    var effort: Int { sizes.last?.effort ?? 0 }

    /// Counts a part of what is being made.
    ///
    /// - Throws: If there are too many.
    func add(_ size: Size, at level: Int? = nil) throws(ArchiveError) {
        guard let level = level ?? sizes.indices.last else { return }
        sizes[level] += size
        guard sizes[level].weight <= maximum.weight else {
            throw ArchiveError(reason: "its parts are shared so often that it would not end")
        }
        guard sizes[level].effort <= maximum.effort else {
            throw ArchiveError(reason: "its sets or keys have parts that are too much alike")
        }
    }

    // MARK: Classes

    private func check(
        _ type: AnyClass,
        named name: String,
        among classes: [AnyClass]
    ) throws(ArchiveError) {
        guard classes.contains(where: { Self.isSubclass(type, of: $0) }) else {
            throw ArchiveError(reason: "it holds an object of class \(name), which is not allowed")
        }
    }

    static func isSubclass(_ type: AnyClass, of ancestor: AnyClass) -> Bool {
        sequence(first: type, next: { _getSuperclass($0) }).contains { $0 == ancestor }
    }

    private func classOf(_ value: Any) -> AnyClass { type(of: value as AnyObject) }

    private func foundationValue(_ plain: PropertyListValue) throws(ArchiveError) -> Any {
        switch plain {
        case .boolean(let boolean): return NSNumber(value: boolean)
        case .integer(let integer): return NSNumber(value: Int(integer))
        case .unsigned(let unsigned): return NSNumber(value: UInt(unsigned))
        case .real(let real): return NSNumber(value: real)
        case .string(let string): return string as NSString
        case .data(let data): return data as NSData
        case .date(let seconds): return NSDate(timeIntervalSinceReferenceDate: seconds)
        case .array, .dictionary, .reference:
            throw ArchiveError(reason: "an object has no class")
        }
    }
}
