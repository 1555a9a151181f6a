import Foundation
import MergeBench

/// `mergectl bench`: layouts of contexts beside each other and beside bare SQLite.
enum BenchCommand: Command {
    static let syntax = CommandSyntax(
        name: "bench",
        summary: "Measure layouts of contexts beside bare SQLite.",
        operands: "",
        operandCount: 0...0,
        options: [
            .flag(
                "quick",
                "A first look, in some seconds: fewer rows; of workloads, import and editing."
            ),
            .flag("layer", "Measure the object layer instead: workloads a to o, with targets."),
            .flag(
                "growth",
                "Measure instead how costs grow with rows, contexts, observers and controllers."
            ),
            .value(
                "rows",
                "N,…",
                "Sizes in rows; 10000 if not given, 2000 for --quick, 100000 for --layer, 10000 to "
                    + "1000000 for --growth."
            ),
            .value(
                "rounds",
                "N",
                "How often each is measured; 3 if not given, 5 for --layer, 1 for --growth --quick."
            ),
            .value(
                "attempts",
                "N",
                "How often each is made at most, until a virtual machine's host takes no more than 1 % of its "
                    + "processors, as Linux tells; 1 if not given."
            ),
            .value(
                "workloads",
                "NAME,…",
                names(Workload.allCases.map(\.rawValue))
                    + " With --layer \(LayerSession.allLetters.joined(separator: ", "))."
            ),
            .value("stacks", "NAME,…", names(StackLayout.all.map(\.name))),
            .value("workers", "N", "Threads that import; 2 if not given."),
            .value("batch", "N", "Rows to a save; 1000 if not given, 100 for --quick."),
            .value("categories", "N", "Of 50 categories, how many main lists; 1 if not given."),
            .value("seed", "N", "Other rows come from another seed; 17 if not given."),
            .value("output", "FOLDER", "Where the reports go; bench if not given."),
            .value("single", "JSON", "Make one measurement and print it; bench starts these."),
        ] + serverOptions,
        discussion: [
            "Each measurement has a process of its own. Docs/Benchmarks.md tells how to read the",
            "figures and how to measure a stack of your own.",
        ]
    )

    private static func names(_ all: [String]) -> String {
        "Which of \(all.joined(separator: ", ")); all if not given."
    }

    static func run(_ arguments: ParsedArguments) throws {
        if let text = arguments["single"] {
            try BenchProcess.answer(text)
            return
        }
        let output = URL(fileURLWithPath: arguments["output"] ?? "bench")
        // Before hours of measuring come to nothing. What a bench starts to listen writes no report.
        if arguments["listener"] == nil {
            try TargetPlace.check(
                output.appendingPathComponent("report").relativePath,
                elsewhere: "name another folder with --output",
                makesFolder: true
            )
        }
        if try runsServer(arguments, output) { return }
        if arguments.has("layer") {
            guard !arguments.has("quick"), !arguments.has("growth") else {
                let other = arguments.has("quick") ? "quick" : "growth"
                throw arguments.usageError("The options --layer and --\(other) exclude each other.")
            }
            try refuse(
                ["attempts", "stacks", "workers", "batch", "categories"],
                with: "layer",
                arguments
            )
            try runLayer(arguments, output)
            return
        }
        if arguments.has("growth") {
            let others = ["attempts", "workloads", "stacks", "workers", "batch", "categories"]
            try refuse(others, with: "growth", arguments)
            try runGrowth(arguments, output)
            return
        }
        let settings = try settings(arguments)
        let layouts = try chosen(
            "stacks",
            from: StackLayout.all,
            by: \.name,
            arguments
        )
        var session = BenchmarkSession(settings: settings, layouts: layouts)
        session.measure = BenchProcess.measure
        let printer = ProgressPrinter(label: "bench")
        session.onResult = { result, done, total in
            printer.show(
                fraction: Double(done) / Double(total),
                detail: "\(done) of \(total): \(result.workload.rawValue), \(result.layout)"
            )
        }
        let report = try session.run()
        printer.finish(detail: "\(report.results.count) runs")
        Terminal.print("\n" + report.text)
        try write(report, to: output)
        guard report.wrongResults.isEmpty else {
            throw CommandError("Layouts ended with different rows; see the lines above.")
        }
    }

    /// Refuses options that what is measured does not depend on.
    static func refuse(
        _ options: [String],
        with flag: String,
        _ arguments: ParsedArguments
    ) throws {
        for option in options where arguments[option] != nil {
            throw arguments.usageError("The options --\(flag) and --\(option) exclude each other.")
        }
    }

    private static func write(_ report: BenchmarkReport, to output: URL) throws {
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try report.json().write(to: output.appendingPathComponent("report.json"))
        try Data(report.csv.utf8).write(to: output.appendingPathComponent("report.csv"))
        try Data(report.markdown.utf8).write(to: output.appendingPathComponent("report.md"))
        let page = BenchmarkPage(report).html
        try Data(page.utf8).write(to: output.appendingPathComponent("report.html"))
        if let figure = report.timelineFigure {
            try Data(figure.utf8).write(to: output.appendingPathComponent("timeline.svg"))
        }
        Terminal.print("\nWritten: \(output.path)/report.html, .json, .csv and .md, timeline.svg")
    }

    private static func settings(_ arguments: ParsedArguments) throws -> BenchmarkSettings {
        var settings = arguments.has("quick") ? BenchmarkSettings.quick : BenchmarkSettings()
        settings.rowCounts = try rowCounts(arguments, default: settings.rowCounts)
        settings.roundCount = try arguments.integer(
            "rounds",
            default: settings.roundCount,
            in: 1...100
        )
        settings.attemptCount = try arguments.integer("attempts", default: 1, in: 1...1_000)
        if arguments["workloads"] != nil {
            settings.workloads = try chosen(
                "workloads",
                from: Workload.allCases,
                by: \.rawValue,
                arguments
            )
        }
        settings.workload.workerCount = try arguments.integer("workers", default: 2, in: 1...64)
        settings.workload.batchSize = try arguments.integer(
            "batch",
            default: settings.workload.batchSize,
            in: 1...1_000_000
        )
        settings.workload.listedCategoryCount = try arguments.integer(
            "categories",
            default: 1,
            in: 1...Item.categoryCount
        )
        settings.workload.seed = try seed(arguments)
        return settings
    }

    static func rowCounts(_ arguments: ParsedArguments, default standard: [Int]) throws -> [Int] {
        guard let text = arguments["rows"] else { return standard }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            guard let count = Int(part), (100...10_000_000).contains(count) else {
                throw arguments.usageError(
                    "The option --rows needs whole numbers from 100 to 10000000, not \"\(part)\"."
                )
            }
            return count
        }
    }

    static func seed(_ arguments: ParsedArguments) throws -> UInt64 {
        UInt64(try arguments.integer("seed", default: 17, in: 0...Int.max))
    }

    /// What the option lists, in the usual order; all of it without the option.
    static func chosen<Element>(
        _ option: String,
        from all: [Element],
        by name: (Element) -> String,
        _ arguments: ParsedArguments
    ) throws -> [Element] {
        guard let text = arguments[option] else { return all }
        let wanted = text.split(separator: ",").map(String.init)
        for one in wanted where !all.contains(where: { name($0) == one }) {
            let known = all.map(name).joined(separator: ", ")
            throw arguments.usageError("The option --\(option) takes \(known), not \"\(one)\".")
        }
        return all.filter { wanted.contains(name($0)) }
    }
}
