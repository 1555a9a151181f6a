import Foundation
import MergeExchange

/// Tells of records that could not be imported: the first few with their places, all of them by
/// cause.
///
/// > Threading: Any thread.
final class FailureBoard: @unchecked Sendable {
    // @unchecked: all state is touched only while `lock` is held.

    /// How many failures are told one by one.
    private static let shownCount = 10
    private let lock = NSLock()
    private let entity: String
    private var count = 0
    private var causes: [Cause: Int] = [:]

    private struct Cause: Hashable {
        let missingEntity: String?
        let column: String?
        let reason: String
        let isNestedValue: Bool
    }

    init(entity: String) { self.entity = entity }

    /// Notes a failure.
    ///
    /// - Returns: The line to print for it; nil after the first few.
    func note(_ problem: ImportProblem) -> (count: Int, line: String?) {
        lock.lock()
        defer { lock.unlock() }
        count += 1
        let cause = Cause(
            missingEntity: problem.missingEntity,
            column: problem.column,
            reason: problem.missingEntity == nil ? Self.withoutValues(problem.reason) : "",
            isNestedValue: problem.isNestedValue
        )
        causes[cause, default: 0] += 1
        // Of lists and objects each record of the file has one: the first says it all.
        let isNews = !problem.isNestedValue || causes[cause] == 1
        return (count, count <= Self.shownCount && isNews ? Self.line(problem) : nil)
    }

    /// How many records have failed.
    var failureCount: Int {
        lock.lock()
        defer { lock.unlock() }
        return count
    }

    /// What failed, by cause, the most frequent first, each with what to do.
    var summary: [String] {
        lock.lock()
        defer { lock.unlock() }
        guard count > 0 else { return [] }
        let sorted = sortedCauses
        var lines = ["\(Self.records(count)) of \(entity) failed:"]
        for (cause, count) in sorted.prefix(Self.shownCount) {
            lines.append("  " + Self.line(cause, count))
        }
        if sorted.count > Self.shownCount {
            lines.append("  and \(sorted.count - Self.shownCount) more causes")
        }
        return lines
    }

    /// What failed by cause, for programs.
    var counts: [ImportReport.Failure] {
        lock.lock()
        defer { lock.unlock() }
        return sortedCauses.map { cause, count in
            ImportReport.Failure(
                count: count,
                column: cause.column,
                missingEntity: cause.missingEntity,
                reason: Self.line(cause, count)
            )
        }
    }

    private var sortedCauses: [(key: Cause, value: Int)] {
        causes.sorted { ($1.value, $0.key.reason) < ($0.value, $1.key.reason) }
    }

    private static func line(_ cause: Cause, _ count: Int) -> String {
        if let entity = cause.missingEntity {
            let verb = count == 1 ? "names" : "name"
            return "import \(entity) first: \(records(count)) \(verb) objects of it that are not "
                + "there" + (cause.column.map { " (\($0))" } ?? "")
        }
        if cause.isNestedValue {
            // One value of an object can be reached; a list needs objects of its own.
            let column = cause.column ?? ""
            return "\(records(count)): \(column): \(cause.reason) In the model, let mappedKeyName "
                + "lead to a value inside (\(column).name), or make \(column) a relationship with "
                + "relatedByAttribute"
        }
        return "\(records(count)): " + (cause.column.map { "\($0): " } ?? "") + cause.reason
    }

    private static func line(_ problem: ImportProblem) -> String {
        var place = problem.file
        if problem.line > 0 { place += ":\(problem.line)" }
        if let record = problem.record { place += ": record \(record)" }
        if let key = problem.key { place += " (\(key))" }
        if let column = problem.column { place += ", \(column)" }
        return "\(place): \(problem.reason)"
    }

    private static func records(_ count: Int) -> String {
        count == 1 ? "1 record" : "\(grouped(count)) records"
    }

    private static func grouped(_ count: Int) -> String {
        let digits = Array(String(count))
        return digits.indices.reduce(into: "") { text, index in
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digits[index])
        }
    }

    /// A reason without the values that it quotes, so that one cause is told once.
    private static func withoutValues(_ reason: String) -> String {
        var result = "", isInside = false
        for character in reason {
            if character == "\"" {
                result += isInside ? "…\"" : "\""
                isInside.toggle()
            } else if !isInside {
                result.append(character)
            }
        }
        return result
    }
}
