import Foundation

/// Joins the results of rows into one file and one page.
enum Report {
    /// - Returns: The exit status: 1 if a row is red.
    static func write(in folder: URL) throws -> Int32 {
        let results = try RowResult.all(in: folder)
        guard !results.isEmpty else {
            throw UsageError(text: "there are no results in \(folder.path)")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let json = folder.appendingPathComponent("report.json")
        try encoder.encode(results).write(to: json)
        let page = folder.appendingPathComponent("report.html")
        try Data(ReportPage(results: results).html.utf8).write(to: page)
        let red = results.filter { !$0.isGreen }.map(\.row)
        print("\(page.path)\n\(json.path)")
        print(red.isEmpty ? "All rows are green." : "Red: \(red.joined(separator: ", ")).")
        return red.isEmpty ? 0 : 1
    }
}
