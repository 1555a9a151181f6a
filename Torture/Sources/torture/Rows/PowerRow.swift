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
        Plan(points: PowerRunner.savePoints(200), expectedCount: 200)
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
/// A point is named `saves/ordered/12` or `replace/strict/12`: after what the program does, and after
/// the model of the file system.
private final class PowerRunner: PointRunner {
    /// How many cuts are made of one recording of saves.
    private static let cutsPerRecording = 100
    private static let saves = 40
    private static let models: [PowerCut.Model] = [.ordered, .strict]

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool
    private var saveRecording: (number: Int, recording: Recording)?
    private let scenarios: PreparedScenarios
    private var recorded: [String: RecordedScenario] = [:]

    init(seed: UInt64, in folder: URL, isControl: Bool) {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
        scenarios = PreparedScenarios(in: folder)
    }

    static func savePoints(_ count: Int) -> [String] {
        (0..<count).map { "saves/\(models[$0 % 2].rawValue)/\($0)" }
    }

    /// A half of them while a program saves and saves, the others in the middle of each scenario.
    static func points(_ count: Int) -> [String] {
        let scenarios = Scenario.ofFiles
        let others = (0..<(count / 2)).map { number in
            let name = scenarios[number / 2 % scenarios.count].name
            return "\(name)/\(models[number % 2].rawValue)/\(number)"
        }
        return savePoints(count - count / 2) + others.sorted()
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 3, let number = Int(parts[2]),
            let model = PowerCut.Model(rawValue: parts[1])
        else { throw UsageError(text: "there is no cut \(point)") }
        var numbers = SeededNumbers(seed, UInt64(number), 7)
        let place = folder.appendingPathComponent("cut")
        defer { try? FileManager.default.removeItem(at: place) }
        if parts[0] == "saves" {
            let recording = try recordSaves(number / Self.cutsPerRecording)
            let moment = numbers.number(below: recording.operations.count + 1)
            let cut = recording.cut(model, after: moment)
            try cut.write(to: place, &numbers)
            return try judge(place, told: cut.lastNote)
        }
        let recorded =
            try recorded[parts[0]] ?? RecordedScenario(scenarios.scenario(parts[0]), in: folder)
        self.recorded[parts[0]] = recorded
        let moment = numbers.number(below: recorded.recording.operations.count + 1)
        let wrong = try recorded.judge(model, after: moment, in: place, &numbers)
        return PointResult(violations: wrong)
    }

    private func judge(_ place: URL, told: Int) throws -> PointResult {
        var result = PointResult()
        let url = place.appendingPathComponent("Store.sqlite")
        result.violations = try LedgerCheck(url, acknowledged: [0: told]).violations
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
    private func recordSaves(_ number: Int) throws -> Recording {
        if let (known, recording) = saveRecording, known == number { return recording }
        let place = folder.appendingPathComponent("recorded-\(number)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let options = isControl ? [NSSQLitePragmasOption: ["synchronous": "OFF"]] : nil
        let recording = try Recording(below: place) {
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
        }
        saveRecording = (number, recording)
        return recording
    }
}
