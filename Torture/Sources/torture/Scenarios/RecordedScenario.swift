import CTorture
import Foundation

/// A scenario whose operations on files were recorded once, so that it can end at each of them.
struct RecordedScenario {
    let prepared: PreparedScenario
    let recording: Recording

    /// - Parameter folder: Where it is recorded.
    init(_ prepared: PreparedScenario, in folder: URL) throws {
        let place = folder.appendingPathComponent("recorded-\(prepared.scenario.name)")
        try prepared.copy(to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        self.prepared = prepared
        recording = try Recording(below: place) {
            let attempt = try prepared.scenario.begin(place)
            try attempt.act()
            recorder_note(1)
            try attempt.end()
        }
    }

    init(_ prepared: PreparedScenario, _ recording: Recording) {
        self.prepared = prepared
        self.recording = recording
    }

    /// Writes what a cut leaves, and judges it.
    ///
    /// - Parameters:
    ///   - count: After how many operations.
    ///   - place: A folder that is not there yet.
    ///   - look: Looks at the files before the step is made again.
    func judge(
        _ model: PowerCut.Model,
        after count: Int,
        in place: URL,
        _ numbers: inout SeededNumbers,
        look: (URL) throws -> [String] = { _ in [] }
    ) throws -> [String] {
        let cut = recording.cut(model, after: count)
        try cut.write(to: place, &numbers)
        // After a power cut what no row refers to may have its name back; it does no harm.
        return try prepared.judge(
            place,
            isDone: cut.lastNote > 0,
            leavesNothing: model == .killed,
            look: look
        )
    }
}

extension PreparedScenario {
    /// What is wrong with files that a step has left which came to an end somewhere.
    ///
    /// - Parameters:
    ///   - isDone: Whether the step was told of as done.
    ///   - leavesNothing: Whether there may be no file more, once the step was made again.
    ///   - look: Looks at the files before the step is made again.
    func judge(
        _ place: URL,
        isDone: Bool,
        leavesNothing: Bool = true,
        look: (URL) throws -> [String] = { _ in [] }
    ) throws -> [String] {
        let dump = try StoreDump.ofCopy(scenario.target(place))
        guard dump.problems.isEmpty else { return dump.problems }
        let allowed = isDone ? [clean.after] : [template] + clean.allowed
        guard allowed.contains(where: { $0.lines == dump.lines }) else {
            let nearest = allowed.min { dump.distance(to: $0) < dump.distance(to: $1) } ?? .nothing
            return ["other rows than before or after: \(dump.difference(to: nearest))"]
        }
        do {
            let wrong = try look(place)
            guard wrong.isEmpty else { return wrong }
            guard scenario.isRepeatable || dump.lines == template.lines else { return [] }
            return try repeatStep(place, leavesNothing)
        } catch {
            return ["the step can't be made again: \(Sentence.of(error))"]
        }
    }

    /// Makes the step with what is there, as a program does when it is started again.
    private func repeatStep(_ place: URL, _ leavesNothing: Bool) throws -> [String] {
        let attempt = try scenario.begin(place)
        try attempt.act()
        let wrong = try attempt.judge(nil, clean)
        try attempt.end()
        guard wrong.isEmpty, leavesNothing else { return wrong }
        let left = try FolderContent(of: place).shape.filter { $0.value > clean.shape[$0.key] ?? 0 }
        return left.isEmpty ? [] : ["files are left: \(left.keys.sorted())"]
    }
}
