import CoreData
import TestSupport
import Testing

@Suite(.enabled(if: SQLiteShell.isThere, "needs /usr/bin/sqlite3"))
struct ShellComparisonTests {
    /// The values of columns, as the shell writes them.
    private func rows(
        _ context: NSManagedObjectContext,
        _ request: NSFetchRequest<NSDictionary>,
        _ keys: [String]
    ) throws -> [String] {
        try context.fetch(request).map { result in
            keys.map { key in result[key].map { "\($0)" } ?? "" }.joined(separator: "|")
        }
    }

    @Test func theShellAggregatesTheSame() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                try Staff.fill(context)
                let request = dictionaryRequest([
                    aggregate("count:", of: "age", .integer32AttributeType),
                    aggregate("sum:", of: "age", .integer64AttributeType),
                    aggregate("max:", of: "age", .integer32AttributeType),
                ])
                let ours = try rows(context, request, ["count:", "sum:", "max:"])
                let theirs = try SQLiteShell.rows(
                    stack.url,
                    "SELECT COUNT(ZAGE), SUM(ZAGE), MAX(ZAGE) FROM ZPERSON"
                )
                #expect(ours == theirs && ours.count == 1)
            }
        }
    }

    @Test func theShellGroupsTheSame() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                try Staff.fill(context)
                let request = dictionaryRequest(
                    [
                        "department.code", aggregate("count:", of: "name", .integer64AttributeType),
                        aggregate("sum:", of: "age", .integer64AttributeType),
                    ],
                    sortedBy: "department.code"
                )
                request.propertiesToGroupBy = ["department.code"]
                request.havingPredicate = NSPredicate(format: "sum:(age) > 20")
                let theirs = try SQLiteShell.rows(
                    stack.url,
                    """
                    SELECT d.ZCODE, COUNT(p.ZNAME), SUM(p.ZAGE) FROM ZPERSON p
                    LEFT JOIN ZDEPARTMENT d ON d.Z_PK = p.ZDEPARTMENT
                    GROUP BY d.ZCODE HAVING SUM(p.ZAGE) > 20 ORDER BY d.ZCODE
                    """
                )
                let ours = try rows(context, request, ["department.code", "count:", "sum:"])
                #expect(ours == theirs && ours.count == 2)
            }
        }
    }

    @Test func theShellFindsTheSameDistinctValues() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                try Staff.fill(context)
                let request = dictionaryRequest(["age", "department.name"], sortedBy: "age")
                request.returnsDistinctResults = true
                let theirs = try SQLiteShell.rows(
                    stack.url,
                    """
                    SELECT DISTINCT p.ZAGE, d.ZNAME FROM ZPERSON p
                    LEFT JOIN ZDEPARTMENT d ON d.Z_PK = p.ZDEPARTMENT ORDER BY p.ZAGE
                    """
                )
                #expect(try rows(context, request, ["age", "department.name"]) == theirs)
                #expect(theirs.count == 5)
            }
        }
    }
}
