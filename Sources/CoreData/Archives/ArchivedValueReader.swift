import Foundation

/// Makes objects of what stands in a keyed archive: those of Foundation by itself, others by
/// their own `init(coder:)` if their class is allowed.
///
/// The archive may have been made to do harm: no class is looked for that is not allowed, circles
/// and deep nesting are refused, and so are parts that are shared so often that the whole would be
/// far larger than the archive.
///
/// > Threading: One thread at a time.
final class ArchivedValueReader {
    private static let maximumDepth = 128
    /// What an archive may grow to, parts that are shared counted each time.
    private static let minimumWeight = 1_000_000

    private struct Made {
        let value: Any
        let weight: Int
    }

    private let archive: KeyedArchive
    private let maximumWeight: Int
    /// What is made already, by place.
    private var made: [Int: Made] = [:]
    /// The places whose objects are being made, outermost first.
    private var open: [Int] = []
    /// The weight of what is being made, innermost last.
    private var weights: [Int] = []

    init(_ archive: KeyedArchive) {
        self.archive = archive
        maximumWeight = max(Self.minimumWeight, 8 * archive.objects.count)
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
            try add(weight: 1)
            return value
        case .object(let object):
            if let known = made[object.place] {
                try check(classOf(known.value), named: object.className, among: classes)
                try add(weight: known.weight)
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
        guard !open.contains(object.place) else {
            throw ArchiveError(reason: "an object is a part of itself")
        }
        guard open.count < Self.maximumDepth else {
            throw ArchiveError(reason: "its objects are nested too deep")
        }
        open.append(object.place)
        weights.append(1)
        defer {
            open.removeLast()
            weights.removeLast()
        }
        let value: Any
        if let kind = FoundationArchive(rawValue: object.className) {
            try check(kind.type, named: object.className, among: classes)
            value = try kind.make(object, reader: self, allowing: classes)
        } else {
            value = try makeOther(object, allowing: classes)
        }
        let weight = weights[weights.count - 1]
        made[object.place] = Made(value: value, weight: weight)
        if weights.count > 1 { try add(weight: weight, at: weights.count - 2) }
        return value
    }

    private func add(weight: Int, at level: Int? = nil) throws(ArchiveError) {
        guard let level = level ?? weights.indices.last else { return }
        weights[level] += weight
        guard weights[level] <= maximumWeight else {
            throw ArchiveError(reason: "its parts are shared so often that it would not end")
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
