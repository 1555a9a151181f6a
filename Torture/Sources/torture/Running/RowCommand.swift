import Foundation

/// Runs a row and its negative control, and writes down the verdict.
struct RowCommand {
    let row: any TortureRow
    var options: Options

    /// - Returns: The exit status.
    func run() throws -> Int32 {
        if let point = options.point { return try runOne(point) }
        var options = options
        if options.count == nil { options.count = row.changeCount }
        if options.isControl { return try control(options).isCaught ? 1 : 0 }
        let start = Date()
        let folder = options.folder.appendingPathComponent(row.name)
        let campaign = Campaign(row: row, options: options, files: RunFiles(folder: folder))
        // A run that is taken up again has its plan already.
        let plan =
            options.resumes ? Plan(points: [], expectedCount: 0) : try row.plan(options)
        let outcome = try campaign.run(plan)
        let controlled = try control(options)
        let result = RowResult(
            row: row.id,
            name: row.name,
            title: row.title,
            unit: row.unit,
            goal: row.releaseCount,
            done: outcome.done,
            isWhole: outcome.isWhole,
            seed: options.seed,
            figures: outcome.figures,
            violations: outcome.violations.map {
                RowResult.Finding(point: $0.point, text: $0.text, replay: replay($0.point))
            },
            control: controlled,
            machine: Machine.description,
            date: ISO8601DateFormatter().string(from: start),
            seconds: Date().timeIntervalSince(start)
        )
        try result.write(in: options.folder)
        result.say()
        return result.isGreen ? 0 : 1
    }

    private func replay(_ point: String) -> String {
        "torture \(row.name) --seed \(options.seed) --point '\(point)'"
    }

    private func control(_ options: Options) throws -> RowResult.Control {
        var controlled = options
        controlled.isControl = true
        controlled.resumes = false
        let folder = options.folder.appendingPathComponent("\(row.name)-control")
        let campaign = Campaign(row: row, options: controlled, files: RunFiles(folder: folder))
        let outcome = try campaign.run(row.controlPlan(controlled))
        return RowResult.Control(
            planted: row.control,
            done: outcome.done,
            violations: outcome.violations.count,
            example: outcome.violations.first.map { "\($0.point): \($0.text)" } ?? "",
            isCaught: row.isCaught(outcome)
        )
    }

    /// Runs one point in this process, where a debugger can see it.
    private func runOne(_ point: String) throws -> Int32 {
        let folder = try WorkFolder()
        defer { folder.remove() }
        let result = try row.makeRunner(options, in: folder.url).run(point)
        for text in result?.violations ?? [] { print("\(point): \(text)") }
        print(
            result.map { $0.violations.isEmpty ? "\(point): nothing is wrong" : "" }
                ?? "\(point): nothing has failed here"
        )
        return result?.violations.isEmpty ?? true ? 0 : 1
    }
}
