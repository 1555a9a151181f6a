import CoreData
import Foundation

/// R13: stores are damaged, opened, fetched and faulted.
struct DamageRow: TortureRow {
    let id = "R13"
    let name = "damage"
    let title = "Stores are damaged"
    let unit = "mutants"
    let changeCount = 5_000
    let releaseCount = 200_000
    let control = "A reader that stops at one mutant and changes another one that it has refused"
    /// A mutant takes 5 s at most.

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        return Plan(points: DamageRunner.points(count), expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: DamageRunner.points(60), expectedCount: 60)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        let texts = outcome.violations.map(\.text)
        return texts.contains { $0.contains("signal") } && texts.contains(DamageRunner.changed)
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        try DamageRunner(seed: options.seed, in: folder, isControl: options.isControl)
    }
}

/// Damages copies of a store, and reads what is left.
///
/// A point is named `kind/12`, after the damage that is done.
private final class DamageRunner: PointRunner {
    static let changed = "the store was refused, and its files have changed"
    /// Several times as long as the slowest processor takes for the steps that triggers of others'
    /// making may run: what takes longer has no bound.
    private static let longest = 20.0

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool
    /// The folders of the stores that are damaged, and the bytes of their files by suffix.
    private var samples: [DamageSample: (folder: URL, files: [String: [UInt8]])] = [:]
    private var hasPlanted = false

    init(seed: UInt64, in folder: URL, isControl: Bool) throws {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
        for sample in DamageSample.allCases {
            let place = folder.appendingPathComponent("\(sample)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let url = place.appendingPathComponent("Store.sqlite")
            try sample.make(url)
            var files: [String: [UInt8]] = [:]
            for suffix in ["", "-wal"]
            where FileManager.default.fileExists(atPath: url.path + suffix) {
                files[suffix] = [UInt8](
                    try Data(contentsOf: URL(fileURLWithPath: url.path + suffix))
                )
            }
            samples[sample] = (place, files)
        }
    }

    static func points(_ count: Int) -> [String] {
        (0..<count).map { "\(Damage.allCases[$0 % Damage.allCases.count].rawValue)/\($0)" }
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/")
        guard parts.count == 2, let number = UInt64(parts[1]),
            let damage = Damage(rawValue: String(parts[0]))
        else { throw UsageError(text: "there is no mutant \(point)") }
        var numbers = SeededNumbers(seed, number, 13)
        guard let (source, sound) = samples[damage.sample] else { return nil }
        let place = folder.appendingPathComponent("mutant")
        // With the files of external values.
        try FileManager.default.copyItem(at: source, to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        var files = sound
        damage.damage(&files, &numbers)
        let url = place.appendingPathComponent("Store.sqlite")
        for (suffix, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: url.path + suffix))
        }
        // By SQL and by files, what can't be done by bytes.
        switch damage {
        case .tables: try TableDamage.damage(url, &numbers)
        case .schema: try SchemaDamage.damage(url, &numbers)
        case .values: try ValueDamage.damage(url, &numbers)
        default: break
        }
        if isControl, number == 20 { fatalError("a planted stop") }
        return try read(url, damage.sample.storeType, number)
    }

    private func read(
        _ url: URL,
        _ storeType: String,
        _ number: UInt64
    ) throws -> PointResult {
        var result = PointResult()
        let before = try bytes(url)
        let start = clock()
        do {
            let stack = try Stack(url, type: storeType)
            do {
                try use(stack)
                result.figures["read"] = 1
            } catch {
                result.figures["refused while reading"] = 1
                result.violations += untyped(error)
            }
            do { try stack.close() } catch { result.violations += untyped(error) }
        } catch {
            result.figures["refused at opening"] = 1
            result.violations += untyped(error)
            if isControl, number > 20, !hasPlanted {
                hasPlanted = true; try Data("planted".utf8).write(to: url)
            }
            if try bytes(url) != before { result.violations.append(Self.changed) }
        }
        // Of the processor, which this process may have to share with others.
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        if seconds > Self.longest { result.violations.append("it has taken \(Int(seconds)) s") }
        return result
    }

    /// Reads all that there is, and saves something.
    private func use(_ stack: Stack) throws {
        let context = stack.makeContext()
        try context.inQueue {
            _ = try context.seen()
            context.make("Item", "new").setValue(try context.all("Owner").first, forKey: "owner")
            try context.save()
            guard stack.coordinator.persistentStores.first?.type == NSSQLiteStoreType else {
                return
            }
            let history = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            _ = try context.execute(history)
        }
    }

    /// The database and its log; its index is SQLite's own affair.
    private func bytes(_ url: URL) throws -> [Data?] {
        try ["", "-wal"].map { suffix in
            let file = URL(fileURLWithPath: url.path + suffix)
            guard FileManager.default.fileExists(atPath: file.path) else { return nil }
            let data = try Data(contentsOf: file)
            // An empty log says the same as none.
            return data.isEmpty ? nil : data
        }
    }

    private func untyped(_ error: any Error) -> [String] {
        let error = error as NSError
        let isTyped = [NSCocoaErrorDomain, "NSSQLiteErrorDomain"].contains(error.domain)
        return isTyped && error.code != 0
            ? [] : ["the error has no documented type: \(error.domain) \(error.code)"]
    }
}
