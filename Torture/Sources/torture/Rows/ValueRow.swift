import CTorture
import Foundation

/// R16: values and names that others read otherwise.
struct ValueRow: TortureRow {
    let id = "R16"
    let name = "values"
    let title = "Values and names are hostile"
    let unit = "values and names"
    var changeCount: Int { ValueRunner.points.count }
    var releaseCount: Int { ValueRunner.points.count }
    /// Foundation converts arrays in arrays level by level, each time anew: under a sanitizer 2,000
    /// levels take minutes.
    var pointLimit: Double { 600 }
    let control = "A database that rounds numbers and cuts texts at NUL"

    func plan(_ options: Options) throws -> Plan {
        let names = ValueRunner.points.prefix(options.count ?? .max)
        return Plan(points: Array(names), expectedCount: names.count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        let points = [
            "value/double/tenth", "value/date/fraction", "value/text/nul-inside",
            "value/text/space",
        ]
        return Plan(points: points, expectedCount: points.count)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        // Of the last one nothing is changed.
        Set(outcome.violations.map(\.point)).count == 3
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        if options.isControl { defect_plant(DEFECT_VALUE_CHANGED) }
        return ValueRunner(in: folder)
    }
}

/// A point is named `value/text/nul`, `name/select`, `names/case` or `column/text-nul`.
private final class ValueRunner: PointRunner {
    static let points =
        HostileValue.all.map { "value/\($0.name)" } + HostileName.all.map { "name/\($0.label)" }
        + HostilePair.all.map { "names/\($0.label)" }
        + HostileColumn.all.map { "column/\($0.label)" }

    private let folder: URL
    private var attempts = 0

    init(in folder: URL) { self.folder = folder }

    func run(_ point: String) throws -> PointResult? {
        attempts += 1
        let place = folder.appendingPathComponent("\(attempts)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let parts = point.split(separator: "/", maxSplits: 1).map(String.init)
        let kind = parts[0], label = parts.count > 1 ? parts[1] : ""
        do {
            if kind == "value", let value = HostileValue.named(label) {
                return PointResult(violations: try ValueTrial(hostile: value, folder: place).run())
            }
            if kind == "name", let name = HostileName.named(label) {
                return PointResult(violations: try NameTrial(folder: place).run(name))
            }
            if kind == "names", let names = HostilePair.named(label) {
                return PointResult(
                    violations: try NameTrial(folder: place).run(
                        names,
                        isRefused: HostilePair.refused.contains(label)
                    )
                )
            }
            if kind == "column", let (column, sql) = HostileColumn.named(label) {
                return PointResult(violations: try ColumnTrial(folder: place).run(column, sql))
            }
        } catch {
            return PointResult(violations: ["\(Sentence.of(error)): \(error.localizedDescription)"])
        }
        throw UsageError(text: "there is no value and no name \(point)")
    }
}
