import CoreData
import Foundation

/// Something that a program does with stores, tried again and again while something fails.
struct Scenario: @unchecked Sendable {
    // @unchecked: the closures touch nothing but their arguments.

    let name: String
    /// The store that is compared, in a folder of an attempt.
    var target: (URL) -> URL = store(in:)
    /// Makes the files that each attempt gets a copy of.
    let template: (URL) throws -> Void
    /// Kinds of faults that are left out, as `kind/lasting`; Docs/Reliability.md argues each.
    var leftOut: Set<String> = []
    /// Whether the step can be made again where it is done, and leaves the same then.
    var isRepeatable = false
    /// Brings the files of a template to what a step of several parts may leave between two of them,
    /// one after the other; the store is whole there, too.
    var between: [(URL) throws -> Void] = []
    /// Prepares an attempt on these files; nothing fails meanwhile.
    let begin: (URL) throws -> any Attempt

    /// Those that are about files as a whole, and can be made again where they were interrupted.
    static var ofFiles: [Scenario] { all.filter(\.isRepeatable) }

    static let all: [Scenario] =
        stores + reading + saves + conflicts + contexts + fileStores + requests + history
        + migrations + files + copies + layer + merging + exchange
    static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

    /// The store that scenarios are about, in a folder of an attempt.
    static func store(in folder: URL) -> URL { folder.appendingPathComponent("Store.sqlite") }
}

/// One try: prepared, made while something fails, judged when nothing fails any more.
protocol Attempt: AnyObject {
    /// The store that is compared.
    var url: URL { get }

    /// The step that may fail.
    func act() throws

    /// What must be right now, in sentences that say what is not.
    ///
    /// - Parameters:
    ///   - failure: What `act()` has thrown.
    ///   - clean: What files hold before and after an attempt in which nothing fails; nil in that one.
    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String]

    /// Closes what is open.
    func end() throws
}

/// What an attempt leaves in which nothing fails.
struct CleanRun {
    let before: StoreDump
    var between: [StoreDump] = []
    let after: StoreDump
    /// Which files there are in the end, see `FolderContent`.
    let shape: [String: Int]

    /// What may be there after a step that did not come to its end.
    var allowed: [StoreDump] { [before] + between + [after] }
}

extension Attempt {
    /// Says so if an error is not one that clients can branch on.
    func untyped(_ error: any Error) -> [String] {
        let domains = [NSCocoaErrorDomain, "NSSQLiteErrorDomain", "MergeStack.MergeStackError"]
        let error = error as NSError
        return domains.contains(error.domain) && error.code != 0
            ? [] : ["the error has no documented type: \(error.domain) \(error.code)"]
    }

    /// Compares what is in a file with what may be there.
    func compare(_ url: URL, with allowed: [StoreDump], _ when: String) -> [String] {
        let dump = StoreDump(of: url)
        if !dump.problems.isEmpty { return dump.problems.map { "\(when): \($0)" } }
        if allowed.contains(where: { $0.lines == dump.lines }) { return [] }
        let nearest = allowed.min { dump.distance(to: $0) < dump.distance(to: $1) } ?? .nothing
        return ["\(when) the file has other rows: \(dump.difference(to: nearest))"]
    }
}

/// Makes stores for templates.
enum Samples {
    /// How many lines a dump of a filled store has.
    static let lineCount = 45
    /// A value that is kept in a file of its own.
    static func large(_ seed: UInt8) -> Data {
        Data(repeating: seed, count: (128 << 10) + Int(seed))
    }

    /// Some objects of each entity.
    static func fill(_ context: NSManagedObjectContext) {
        let owners = (0..<3).map { context.make("Owner", "owner\($0)") }
        let tags = (0..<4).map { context.make("Tag", "tag\($0)") }
        for index in 0..<24 {
            let item = context.make("Item", "item\(index < 10 ? "0" : "")\(index)")
            item.setValue(Int64(index), forKey: "value")
            item.setValue("note \(index)", forKey: "note")
            item.setValue(owners[index % 3], forKey: "owner")
            item.setValue(Set([tags[index % 4], tags[(index + 1) % 4]]), forKey: "tags")
            if index < 2 { item.setValue(large(UInt8(index + 1)), forKey: "data") }
            if index == 2 { item.setValue(Data("small".utf8), forKey: "data") }
        }
        for index in 0..<2 {
            let list = context.make("List", "list\(index)")
            let entries = (0..<6).map { context.make("Entry", "entry\(index)-\($0)") }
            list.setValue(NSOrderedSet(array: entries), forKey: "entries")
        }
    }

    static func filled(
        _ url: URL,
        _ options: [AnyHashable: Any]? = nil,
        type: String = NSSQLiteStoreType
    ) throws {
        let stack = try Stack(url, type: type, options: options)
        try stack.save(fill)
        try stack.close()
    }

    /// A store whose newest rows are in its log only, as a process that was killed leaves it.
    static func leftOpen(_ url: URL) throws {
        let folder = url.deletingLastPathComponent()
        let other = folder.appendingPathComponent("Open.sqlite")
        let stack = try Stack(other)
        try stack.save(fill)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: other.path + suffix, toPath: url.path + suffix)
        }
        try stack.close()
        let support = { (name: String) in folder.appendingPathComponent(".\(name)_SUPPORT") }
        try FileManager.default.moveItem(at: support("Open"), to: support("Store"))
        try FileManager.default.removeItem(at: other)
    }
}
