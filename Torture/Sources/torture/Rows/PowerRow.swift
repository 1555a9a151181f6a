import CTorture
import CoreData
import Foundation

/// R4: the power fails, and what was not synchronized is there, is not, or is there in part.
struct PowerRow: TortureRow {
    let id = "R4"
    let name = "power"
    let title = "The power fails"
    let unit = "cuts"
    let changeCount = 500
    let releaseCount = 10_000
    let control =
        "A store that is opened with synchronous=OFF: a tenth of the cuts has to lose saves"

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        return Plan(points: PowerRunner.points(count), expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: PowerRunner.points(200), expectedCount: 200)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        Set(outcome.violations.map(\.point)).count * 10 >= outcome.done && outcome.done > 0
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        PowerRunner(seed: options.seed, in: folder, isControl: options.isControl)
    }
}

/// Records what a program does to its files, and makes of it what cuts at some moments leave.
///
/// A point is named `ordered/12` or `strict/12`, after the model of the file system.
private final class PowerRunner: PointRunner {
    /// How many cuts are made of one recording.
    private static let cutsPerRecording = 100
    private static let saves = 40

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool
    private var recording = -1
    private var operations: [Operation] = []

    init(seed: UInt64, in folder: URL, isControl: Bool) {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
    }

    static func points(_ count: Int) -> [String] {
        (0..<count).map { ($0 % 2 == 0 ? "ordered/" : "strict/") + "\($0)" }
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/")
        guard parts.count == 2, let number = Int(parts[1]),
            let model = PowerCut.Model(rawValue: String(parts[0]))
        else { throw UsageError(text: "there is no cut \(point)") }
        try record(number / Self.cutsPerRecording)
        var numbers = SeededNumbers(seed, UInt64(number), 7)
        let moment = numbers.number(below: operations.count + 1)
        var cut = PowerCut(model: model)
        for operation in operations.prefix(moment) { cut.take(operation) }
        let place = folder.appendingPathComponent("cut")
        defer { try? FileManager.default.removeItem(at: place) }
        try cut.write(to: place, &numbers)
        return judge(place, told: cut.lastNote)
    }

    private func judge(_ place: URL, told: Int) -> PointResult {
        var result = PointResult()
        let url = place.appendingPathComponent("Store.sqlite")
        let check = LedgerCheck(url, acknowledged: [0: told])
        result.violations = check.violations
        result.figures["acknowledged saves"] = told
        // The engine itself opens what is left, and reads it.
        do {
            let stack = try Stack(url)
            let context = stack.makeContext()
            let last = try context.inQueue { try Ledger.lastSave(context, 0) }
            if last < told { result.violations.append("opened again, save \(last) is the last") }
            try stack.close()
        } catch {
            result.violations.append("the store can't be opened any more: \(Sentence.of(error))")
        }
        return result
    }

    /// Has a program make a store, save and save, and close it.
    private func record(_ number: Int) throws {
        guard recording != number else { return }
        recording = number
        let place = folder.appendingPathComponent("recorded-\(number)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        faults_watch(place.path)
        recorder_start()
        let options = isControl ? [NSSQLitePragmasOption: ["synchronous": "OFF"]] : nil
        let stack = try Stack(place.appendingPathComponent("Store.sqlite"), options: options)
        let context = stack.makeContext()
        var numbers = SeededNumbers(seed, UInt64(number))
        for save in 1...(Self.saves + numbers.number(below: Self.saves)) {
            try context.inQueue {
                try Ledger.change(context, 0, save)
                try context.save()
            }
            recorder_note(Int64(save))
        }
        try stack.close()
        recorder_stop()
        operations = (0..<recorder_count()).map { Operation(recorder_at($0), below: place.path) }
    }
}
