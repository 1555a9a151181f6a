import CoreData
import Foundation
import MergeStack

/// R9: what was thrown away is gone, and long chains go without an overflow.
struct LeakRow: TortureRow {
    let id = "R9"
    let name = "leaks"
    let title = "Contexts are thrown away"
    let unit = "rounds of 100 contexts, or of a chain"
    let changeCount = 50
    let releaseCount = 1_000
    let control = "An observer, a context and a file that are not let go of"
    /// A chain of a million objects that is saved and deleted takes a while.
    var pointLimit: Double { 300 }

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        let length = count < releaseCount ? 20_000 : 1_000_000
        let points = LeakRunner.contextPoints(count) + LeakRunner.chainPoints(length)
        return Plan(points: points, expectedCount: points.count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: ["contexts/private-queue/0"], expectedCount: 1)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        let texts = outcome.violations.map(\.text)
        return ["observers of", "files are left", "objects are left"].allSatisfy { text in
            texts.contains { $0.contains(text) }
        }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        try LeakRunner(in: folder, isControl: options.isControl)
    }
}

/// Throws contexts and chains away, and looks what is left of them.
///
/// Points are named `contexts/unsaved/12`, after the use of the contexts, and `chain/reset/512/20000`,
/// after what becomes of the chain, the size of the stack in KiB and the chain's length.
private final class LeakRunner: PointRunner {
    private static let contextCount = 100

    private let folder: URL
    private let isControl: Bool
    private let stack: NotificationMergeStack
    /// What was there after the first contexts of each kind.
    private var base: Footprint?
    private var leaked: [AnyObject] = []

    init(in folder: URL, isControl: Bool) throws {
        self.folder = folder
        self.isControl = isControl
        let description = NSPersistentStoreDescription(
            url: folder.appendingPathComponent("Store.sqlite")
        )
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        stack = try NotificationMergeStack(model: TortureModel.first, stores: [description])
        let main = stack.mainContext
        Samples.fill(main)
        main.make("Item", "kept")
        try main.save()
    }

    static func contextPoints(_ count: Int) -> [String] {
        (0..<count).map { "contexts/\(ContextUse.all[$0 % ContextUse.all.count].name)/\($0)" }
    }

    static func chainPoints(_ length: Int) -> [String] {
        Chain.all.flatMap { chain in
            ["8192", "512"].map { "chain/\(chain.name)/\($0)/\(length)" }
        }
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        if parts.count == 3, parts[0] == "contexts", let use = ContextUse.named(parts[1]) {
            return try run(use)
        }
        if parts.count == 4, parts[0] == "chain", let chain = Chain.named(parts[1]),
            let size = Int(parts[2]), let length = Int(parts[3])
        {
            return try run(chain, size << 10, length)
        }
        throw UsageError(text: "there is no point \(point)")
    }

    // MARK: Contexts

    private func run(_ use: ContextUse) throws -> PointResult {
        if base == nil {
            // Before, so that what is made once for all is there.
            for use in ContextUse.all { try round(use).forEach { throw UsageError(text: $0) } }
            base = try Footprint.now()
        }
        var result = PointResult(figures: ["contexts": Self.contextCount])
        if isControl { leak() }
        result.violations = try round(use)
        if let base { result.violations += try Footprint.now().growth(since: base) }
        return result
    }

    private func round(_ use: ContextUse) throws -> [String] {
        var departures = Departures()
        if isControl, base != nil { leaked.forEach { departures.expect($0) } }
        try use.run(stack, Self.contextCount, &departures)
        stack.waitUntilSettled()
        // Main follows, and lets go of what it has read for that.
        stack.mainContext.reset()
        let count = departures.remaining()
        return count == 0 ? [] : ["\(count) objects are left"]
    }

    /// The planted defect.
    private func leak() {
        leaked.append(stack.makeBackgroundContext())
        leaked.append(
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave,
                object: nil,
                queue: nil
            ) { _ in }
        )
        _ = open("/dev/null", O_RDONLY)
    }

    // MARK: Chains

    private func run(_ chain: Chain, _ stackSize: Int, _ length: Int) throws -> PointResult {
        let place = folder.appendingPathComponent("chain")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let made = try Stack(place.appendingPathComponent("Store.sqlite"), model: Chain.model)
        let coordinator = made.coordinator
        nonisolated(unsafe) var departures = Departures()
        nonisolated(unsafe) var failure: (any Error)?
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            do {
                try chain.run(coordinator, length, &departures)
            } catch {
                failure = error
            }
            isDone.signal()
        }
        thread.stackSize = stackSize
        thread.start()
        isDone.wait()
        var result = PointResult(figures: ["objects of chains": length])
        if let failure { result.violations.append("\(chain.name) fails: \(Sentence.of(failure))") }
        let count = departures.remaining()
        if count > 0 { result.violations.append("\(count) objects are left") }
        try made.close()
        return result
    }
}
