import Foundation

/// The report as a page that needs no other file.
struct ReportPage {
    let results: [RowResult]

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>What MergeStack stood</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <main>
        <h1>What MergeStack stood</h1>
        <p>\(escaped(summary))</p>
        \(results.map(section).joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    private var summary: String {
        let red = results.filter { !$0.isGreen }.map(\.row)
        let verdict =
            red.isEmpty
            ? "No row has a violation, and each found the defect that was planted for it."
            : "Red: \(red.joined(separator: ", "))."
        return "\(verdict) Made on \(results.map(\.machine).first ?? "")."
    }

    private func section(_ result: RowResult) -> String {
        let figures = result.figures.sorted { $0.key < $1.key }
        let rows: [(String, String)] =
            [
                ("Goal of a release", "\(result.goal) \(result.unit)"),
                ("Done", "\(result.done) \(result.unit)" + (result.isWhole ? "" : ", cut short")),
            ] + figures.map { ($0.key, "\($0.value)") } + [
                ("Violations", "\(result.violations.count)"),
                (
                    "Negative control",
                    "\(result.control.planted): "
                        + (result.control.isCaught
                            ? "found, \(result.control.violations) violations"
                                + " in \(result.control.done) \(result.unit)" : "not found")
                ),
                ("Seed", "\(result.seed)"),
                ("Began, took", "\(result.date), \(Int(result.seconds)) s"),
                ("Machine", result.machine),
            ]
        let list = rows.map { "<dt>\(escaped($0.0))</dt><dd>\(escaped($0.1))</dd>" }.joined()
        let findings = result.violations.prefix(200).map {
            "<li>\(escaped($0.point)): \(escaped($0.text))<br><code>\(escaped($0.replay))</code></li>"
        }
        return """
            <section>
            <h2>\(result.row) \(escaped(result.title)) \
            <span class="\(result.isGreen ? "green" : "red")">\(result.isGreen ? "green" : "red")</span></h2>
            <dl>\(list)</dl>
            \(findings.isEmpty ? "" : "<ul>\(findings.joined())</ul>")
            </section>
            """
    }

    private func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;")
    }

    private static let style = """
        :root { color-scheme: light dark; --text: #1d1d1f; --paper: #ffffff; --line: #d2d2d7; \
        --quiet: #55555a; --green: #17692c; --red: #b3141d; }
        @media (prefers-color-scheme: dark) { :root { --text: #f0f0f2; --paper: #1c1c1e; \
        --line: #48484a; --quiet: #b0b0b6; --green: #6bd487; --red: #ff8a80; } }
        body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); \
        background: var(--paper); }
        main { max-width: 52rem; margin: 0 auto; padding: 1rem; }
        section { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 1.5rem; }
        h2 { font-size: 1.2rem; }
        h2 span { padding: 0 .5rem; border: 1px solid; border-radius: .5rem; font-size: .9rem; }
        .green { color: var(--green); } .red { color: var(--red); }
        dl { display: grid; grid-template-columns: minmax(7rem, 12rem) 1fr; gap: .2rem 1rem; }
        dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
        li, code { overflow-wrap: anywhere; }
        """
}
