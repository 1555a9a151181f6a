import CTorture
import CoreData
import Foundation

/// R8: many add to one number at once, and none of what was saved is lost.
struct UpdateRow: TortureRow {
    let id = "R8"
    let name = "updates"
    let title = "Updates meet"
    let unit = "rounds of 1,000 increments"
    let changeCount = 10
    let releaseCount = 400
    let control = "An engine whose updates don't ask for the version of a row"

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        let points = (0..<count).map { number in
            let mode = UpdateRunner.Mode.allCases[number % UpdateRunner.Mode.allCases.count]
            return "\(mode.rawValue)/\(number)"
        }
        return Plan(points: points, expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: ["coordinators/1", "processes/2"], expectedCount: 2)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        outcome.violations.contains { $0.text.contains("increments were saved") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        if options.isControl { defect_plant(DEFECT_VERSION_IGNORED) }
        return UpdateRunner(in: folder, isControl: options.isControl)
    }
}

/// Adds to numbers in eight threads, or in two processes of four.
final class UpdateRunner: PointRunner {
    /// Who meets, and what becomes of conflicts.
    enum Mode: String, CaseIterable {
        /// The contexts of one coordinator, each error followed by another try.
        case contexts
        /// A coordinator for each thread, each error followed by another try.
        case coordinators
        /// Two processes, each error followed by another try.
        case processes
        /// Each thread has a number of its own in the same row; what memory has wins.
        case memoryWins = "memory-wins"
        /// Each thread has a number of its own in the same row; what the store has wins.
        case storeWins = "store-wins"

        /// Whether each thread adds to an attribute of its own.
        var isSplit: Bool { self == .memoryWins || self == .storeWins }
    }

    static let threads = 8
    private static let increments = 125

    private let folder: URL
    private let isControl: Bool

    init(in folder: URL, isControl: Bool) {
        self.folder = folder
        self.isControl = isControl
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/")
        guard parts.count == 2, let mode = Mode(rawValue: String(parts[0])) else {
            throw UsageError(text: "there is no round \(point)")
        }
        let place = folder.appendingPathComponent(String(parts[1]))
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let url = place.appendingPathComponent("Store.sqlite")
        let stack = try Stack(url, model: CounterModel.model)
        try stack.save { context in
            let counter = NSEntityDescription.insertNewObject(
                forEntityName: "Counter",
                into: context
            )
            for key in CounterModel.keys { counter.setValue(Int64(0), forKey: key) }
        }
        let conflicts: Int
        do {
            conflicts = try count(mode, stack)
        } catch is Refusal {
            let text = "a refreshed object is refused although nobody has saved since"
            return PointResult(violations: [text])
        }
        try stack.close()
        return try judge(url, mode, conflicts)
    }

    /// - Returns: How many saves were refused.
    private func count(_ mode: Mode, _ stack: Stack) throws -> Int {
        guard mode == .processes else {
            return try Self.add(mode, Array(0..<Self.threads), stack)
        }
        let processes = try (0..<2).map { _ in
            let process = try TortureProgram.this.process(
                ["update-child", stack.url.path] + (isControl ? ["--control"] : [])
            )
            process.standardOutput = Pipe()
            try process.run()
            return process
        }
        var conflicts = 0
        for process in processes {
            let output = (process.standardOutput as? Pipe)?.fileHandleForReading
            let text = String(decoding: try output?.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            if text == Self.refused { throw Refusal() }
            guard process.terminationStatus == 0, let number = Int(text) else {
                throw UsageError(text: "a process ends with \(process.terminationStatus): \(text)")
            }
            conflicts += number
        }
        return conflicts
    }

    /// What a process says whose saves are refused again and again.
    private static let refused = "refused"

    /// One of the two processes: four threads.
    static func runChild(_ url: URL, isControl: Bool) throws {
        if isControl { defect_plant(DEFECT_VERSION_IGNORED) }
        let stack = try Stack(url, model: CounterModel.model)
        do {
            let conflicts = try add(.processes, Array(0..<(threads / 2)), stack)
            print(conflicts, terminator: "")
        } catch is Refusal {
            print(refused, terminator: "")
        }
        try stack.close()
    }

    private static func add(_ mode: Mode, _ numbers: [Int], _ stack: Stack) throws -> Int {
        let tally = Tally()
        // Not on the queues of Dispatch: each of them has a thread of its own.
        let threads = try numbers.map { number in
            let own =
                mode == .coordinators ? try Stack(stack.url, model: CounterModel.model) : stack
            let adder = Adder(stack: own, mode: mode, key: CounterModel.keys[number], tally: tally)
            return (own, adder)
        }
        let group = DispatchGroup()
        for (_, adder) in threads {
            group.enter()
            Thread.detachNewThread {
                adder.run(increments)
                group.leave()
            }
        }
        group.wait()
        for (own, _) in threads where own !== stack { try own.close() }
        return try tally.conflicts()
    }

    /// The numbers in the file, by SQLite alone.
    private func judge(_ url: URL, _ mode: Mode, _ conflicts: Int) throws -> PointResult {
        let database = try Database(url.path)
        defer { database.close() }
        let columns = CounterModel.keys.map { "Z\($0.uppercased())" }
        let sums = try database.strings("SELECT \(columns.joined(separator: " + ")) FROM ZCOUNTER")
        let single = try database.strings("SELECT Z_OPT FROM ZCOUNTER")
        let expected = Self.threads * Self.increments
        var result = PointResult(figures: ["increments": expected, "refused saves": conflicts])
        if sums != ["\(expected)"] {
            result.violations.append("\(expected) increments were saved, the file has \(sums)")
        }
        // A save that is merged with another one is one more version, too.
        if !mode.isSplit, single != ["\(expected + 1)"] {
            result.violations.append("\(expected) saves have made version \(single)")
        }
        return result
    }
}

/// One thread that adds.
///
/// @unchecked: used by that thread alone.
private final class Adder: @unchecked Sendable {
    private let stack: Stack
    private let mode: UpdateRunner.Mode
    private let key: String
    private let tally: Tally

    init(stack: Stack, mode: UpdateRunner.Mode, key: String, tally: Tally) {
        self.stack = stack
        self.mode = mode
        // All add to the first one where nothing is split.
        self.key = mode.isSplit ? key : CounterModel.keys[0]
        self.tally = tally
    }

    func run(_ count: Int) {
        let context = stack.makeContext()
        do {
            try context.inQueue {
                switch mode {
                case .memoryWins: context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
                case .storeWins: context.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
                case .contexts, .coordinators, .processes: context.mergePolicy = NSErrorMergePolicy
                }
                let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
                guard let counter = try context.fetch(request).first else {
                    throw UsageError(text: "there is no counter")
                }
                for _ in 0..<count { try add(to: counter, context) }
            }
        } catch {
            tally.fail(error)
        }
    }

    /// How often a save may be refused in a row: somebody else has saved each time, and there are not
    /// so many saves in a round.
    private static let refusalLimit = 2_000

    /// Adds one, as often as it takes until it is saved.
    private func add(to counter: NSManagedObject, _ context: NSManagedObjectContext) throws {
        for _ in 0..<Self.refusalLimit {
            let value = counter.value(forKey: key) as? Int64 ?? 0
            counter.setValue(value + 1, forKey: key)
            do { return try context.save() } catch let error as NSError
                where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectMergeError
            {
                tally.addConflict()
                context.rollback()
                context.refresh(counter, mergeChanges: false)
            }
        }
        throw Refusal()
    }
}

/// A save was refused again and again, each time after the object was refreshed.
private struct Refusal: Error {}

/// What threads count together.
private final class Tally: Sendable {
    private let number = Guarded(0)
    private let failure = Guarded<(any Error)?>(nil)

    func addConflict() { number.withLock { $0 += 1 } }
    func fail(_ error: any Error) { failure.withLock { $0 = error } }

    /// - Throws: What has stopped one of the threads.
    func conflicts() throws -> Int {
        if let failure = failure.value { throw failure }
        return number.value
    }
}

/// One entity with a number for each thread.
enum CounterModel {
    static let keys = (0..<UpdateRunner.threads).map { "number\($0)" }
    static let model = make()

    private static func make() -> NSManagedObjectModel {
        let counter = NSEntityDescription()
        counter.name = "Counter"
        counter.managedObjectClassName = "NSManagedObject"
        counter.properties = keys.map { key in
            let attribute = NSAttributeDescription()
            attribute.name = key
            attribute.attributeType = .integer64AttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [counter]
        return model
    }
}
