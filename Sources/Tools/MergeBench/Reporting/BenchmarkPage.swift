import Foundation

/// The report as one HTML page that needs nothing beside itself.
public struct BenchmarkPage {
    let report: BenchmarkReport

    /// A page of a report.
    public init(_ report: BenchmarkReport) { self.report = report }

    /// The page.
    public var html: String {
        let sections = report.settings.workloads.map { PageSection(report, $0).html }
        let parts = [header, layouts] + sections + [reading, footer]
        return PageFrame.html(
            title: "Context layouts and the main queue",
            body: parts.joined(separator: "\n")
        )
    }

    private var header: String {
        let sizes = report.settings.rowCounts.map { NumberText.grouped(Double($0)) }
        let environment = report.environment
        let date = environment.day
        return """
            <header>
            <p class="over">mergectl bench</p>
            <h1>Context layouts and the main queue</h1>
            <p class="lead">\(MarkupText.escaped(report.headline))</p>\(targets)\(warnings)
            <p class="facts">\(date) · \(sizes.joined(separator: ", ")) rows · \(rounds) · \
            \(MarkupText.escaped(environment.processor)), \(environment.coreCount) cores · \
            \(MarkupText.escaped(environment.system)) · SQLite \(environment.sqliteVersion)\(load)</p>
            <p class="\(report.wrongResults.isEmpty ? "facts" : "wrong")">\
            \(MarkupText.escaped(report.verdict))</p>
            </header>
            """
    }

    private var rounds: String {
        let count = report.settings.roundCount
        return count == 1 ? "each measured once" : "\(count) rounds in alternating order"
    }

    private var load: String {
        (report.environment.isDebugBuild ? " · <strong>debug build</strong>" : "")
            + (report.loadText.map { " · " + $0 } ?? "")
    }

    /// What was aimed at.
    private var targets: String {
        report.targets.map { "\n<p class=\"facts\">\(MarkupText.escaped($0))</p>" }.joined()
    }

    /// Why the headline draws no conclusion.
    private var warnings: String {
        guard !report.warnings.isEmpty else { return "" }
        let items = report.warnings.map { "<li>\(MarkupText.escaped($0))</li>" }
        return """

            <ul class="warnings">\(items.joined(separator: "\n"))</ul>
            """
    }

    private var layouts: String {
        let items = report.layouts.enumerated().map { place, layout in
            """
            <li><span class="swatch" style="background:\(Palette.colour(place))"></span>\
            <strong>\(MarkupText.escaped(layout.title))</strong> \(MarkupText.escaped(layout.summary))</li>
            """
        }
        return """
            <section>
            <h2>What is compared</h2>
            <ul class="layouts">\(items.joined(separator: "\n"))</ul>
            </section>
            """
    }

    private var reading: String {
        """
        <section class="reading">
        <h2>How to read it</h2>
        <p>A user interface runs on the main queue. While something else runs there, a tap, a scroll \
        or an animation waits; at 60 pictures a second, more than 1/60 s (16.7 ms) is a picture \
        missed. Every millisecond a block is put on the main queue, one at a time, and the time until \
        it runs is a <em>wait</em>. The dashed line is 1/60 s, and a red bar a wait that was longer.</p>
        <dl>
        <dt>Rows per second</dt><dd>What the workers wrote, by the time at which their last save had \
        returned, so that it is on disk.</dd>
        <dt>Last row shown after</dt><dd>When the list on main changed for the last time.</dd>
        <dt>Main queue busy</dt><dd>In how many of the looks, one each millisecond, a block had to \
        wait for more than 0.1 ms, times the time that the run took. Waits for locks and the disk \
        count; the main thread's CPU time does not hold them.</dd>
        <dt>Time in waits &gt; 1/60 s</dt><dd>Their sum as a share of the whole run.</dd>
        <dt>Merges, objects merged, faults fired</dt><dd>Where saves are merged by notification.</dd>
        <dt>Memory added</dt><dd>The highest mark of the process over what it had in use when the work \
        began; each run is a process of its own.</dd>
        <dt>× bare</dt><dd>Time until the last save, by that of bare SQLite in the same session. \
        Compare these from machine to machine, not seconds.</dd>
        </dl>
        <p>Tables and lines show medians over the rounds unless they say "worst", dots every round, \
        the timeline the round whose longest wait is the median. Bare SQLite is one thread with prepared statements, the same \
        rows, transactions and pragmas, and no main queue. Other load on the machine makes every \
        wait longer; the layouts take turns so that all of them get their share of it. Where the \
        machine was busy, or bare SQLite's own rounds lie far apart, a warning stands in the place \
        of a conclusion.</p>
        </section>
        """
    }

    private var footer: String {
        let settings = report.settings.workload
        return """
            <footer><p>Seed \(settings.seed), \(settings.workerCount) workers, \
            \(NumberText.grouped(Double(settings.batchSize))) rows to a save. The figures of every \
            run are in report.json and report.csv.</p></footer>
            """
    }
}
