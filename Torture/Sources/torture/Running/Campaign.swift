import Foundation

/// Has workers run a plan to its end, through whatever stops them.
struct Campaign {
    let row: any TortureRow
    let options: Options
    let files: RunFiles

    /// - Throws: What keeps a worker from being started.
    func run(_ plan: Plan) throws -> Outcome {
        if !options.resumes { try files.make(plan) }
        let plan = try files.readPlan()
        let start = Date()
        var place = try next(plan)
        let progress = ProgressLine(
            title: "\(row.id) \(row.name)" + (options.isControl ? " control" : ""),
            unit: row.unit,
            total: plan.expectedCount,
            already: try files.readResults().count
        )
        var barren = 0
        while let (line, after) = place {
            let left = options.seconds.map { $0 - Date().timeIntervalSince(start) }
            if let left, left <= 0 { break }
            let before = try files.readResults().count
            let end = try runWorker(line, after, left, progress)
            if end == .stopped { break }
            place = try next(plan)
            guard case .failed(let what) = end, let at = files.readProgress() else { continue }
            // A worker that can't even begin would be started for ever.
            barren = try files.readResults().count == before ? barren + 1 : 0
            try note(at, what, plan)
            if barren > 20 { break }
            place = try next(plan)
        }
        progress.end()
        var outcome = Outcome()
        for entry in try files.readResults() {
            if entry.result.figures["beyond"] == nil { outcome.done += 1 }
            outcome.violations += entry.result.violations.map {
                Violation(point: entry.point, text: $0)
            }
            for (name, value) in entry.result.figures where name != "beyond" {
                let known = outcome.figures[name] ?? 0
                outcome.figures[name] = name.hasPrefix("most ") ? max(known, value) : known + value
            }
        }
        outcome.isWhole = try next(plan) == nil
        return outcome
    }

    /// Where to go on: the line, and the point after which.
    private func next(_ plan: Plan) throws -> (line: Int, after: String?)? {
        guard let last = try files.readResults().last else {
            return plan.points.isEmpty ? nil : (0, nil)
        }
        if !last.isEnd { return (last.line, last.point) }
        return last.line + 1 < plan.points.count ? (last.line + 1, nil) : nil
    }

    /// Writes down that a point has stopped its process.
    private func note(_ at: (line: Int, point: String), _ what: String, _ plan: Plan) throws {
        let isEnd = !plan.points[at.line].hasSuffix("*")
        let entry = RunFiles.Entry(
            line: at.line,
            point: at.point,
            result: PointResult(violations: [what]),
            isEnd: isEnd
        )
        let results = try FileHandle(forWritingTo: files.results)
        try results.seekToEnd()
        try results.write(contentsOf: JSONEncoder().encode(entry) + Data("\n".utf8))
        try results.close()
    }

    private enum End: Equatable {
        case finished
        /// The time is up.
        case stopped
        /// The process has come to an end of its own.
        case failed(String)
    }

    private func runWorker(
        _ line: Int,
        _ after: String?,
        _ secondsLeft: Double?,
        _ progress: ProgressLine
    ) throws -> End {
        let process = try row.program.process(
            ["worker", row.name, "--folder", files.folder.path, "--seed", "\(options.seed)"]
                + ["--line", "\(line)"] + (after.map { ["--after", $0] } ?? [])
                + (options.isControl ? ["--control"] : [])
        )
        try Data().write(to: files.output)
        let output = try FileHandle(forWritingTo: files.output)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let identifier = process.processIdentifier
        defer { WorkFolder.removeFolder(of: identifier) }
        let start = Date()
        var seen = "", since = Date()
        while process.isRunning {
            usleep(100_000)
            let point = files.readProgress().map { "\($0.line) \($0.point)" } ?? ""
            if point != seen { (seen, since) = (point, Date()) }
            try progress.show(at: ResultCount.of(files.results))
            if let secondsLeft, Date().timeIntervalSince(start) > secondsLeft {
                process.terminate()
                process.waitUntilExit()
                return .stopped
            }
            if Date().timeIntervalSince(since) > row.pointLimit {
                kill(identifier, SIGKILL)
                process.waitUntilExit()
                return .failed("the program hangs: nothing happens for \(Int(row.pointLimit)) s")
            }
        }
        process.waitUntilExit()
        if process.terminationReason == .exit, process.terminationStatus == 0 { return .finished }
        return .failed(process.howItEnded(saying: try Data(contentsOf: files.output)))
    }
}

extension WorkFolder {
    /// Removes what a worker that was stopped has left.
    static func removeFolder(of process: Int32) {
        let url = URL(fileURLWithPath: "/dev/shm/torture-\(process)")
        if FileManager.default.fileExists(atPath: url.path) {
            // What is left is in memory, and in nobody's way.
            try? FileManager.default.removeItem(at: url)
        }
    }
}

/// How many results a file has, without decoding them.
enum ResultCount {
    static func of(_ url: URL) throws -> Int {
        try Data(contentsOf: url).reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    }
}
