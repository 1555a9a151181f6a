import Foundation

/// A table of Docs/Architecture.md: which room may use which.
///
/// A row whose last cell is empty is of the ground, which all rooms may use. A row with several
/// rooms is a knot: they use each other.
struct RoomTable {
    struct Row {
        let rooms: [String]
        let uses: [String]
        var isGround: Bool { uses.isEmpty }
    }
    /// From the ground upwards.
    let rows: [Row]

    init(rows: [Row]) { self.rows = rows }

    /// - Parameters:
    ///   - heading: The heading of the section that the table stands in.
    ///   - page: The text of the page.
    init(under heading: String, of page: String) {
        var isInside = false
        var rows: [Row] = []
        for line in page.split(separator: "\n") {
            if line.hasPrefix("## ") { isInside = line == "## \(heading)" }
            guard isInside, line.hasPrefix("| `") else { continue }
            let cells = line.dropFirst().dropLast().split(
                separator: "|",
                omittingEmptySubsequences: false
            )
            guard let first = cells.first, let last = cells.last, cells.count > 2 else { continue }
            rows.append(Row(rooms: Self.names(first), uses: Self.names(last)))
        }
        self.rows = rows
    }

    private static func names(_ cell: Substring) -> [String] {
        cell.split(separator: ",")
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            .filter { !$0.isEmpty }
    }

    var rooms: [String] { rows.flatMap(\.rooms) }

    /// Whether the code of a room may name what another one declares.
    func allows(_ room: String, _ other: String) -> Bool {
        guard room != other else { return true }
        let own = rows.firstIndex { $0.rooms.contains(room) }
        let theirs = rows.firstIndex { $0.rooms.contains(other) }
        guard let own, let theirs else { return false }
        // The ground has an order, too, so that it is in no cycle.
        if rows[theirs].isGround { return theirs < own }
        return own == theirs || reached(from: room).contains(other)
    }

    /// What a room may use, directly or by way of others.
    private func reached(from room: String) -> Set<String> {
        var seen: Set<String> = []
        var open = [room]
        while let next = open.popLast() {
            for use in rows.first(where: { $0.rooms.contains(next) })?.uses ?? []
            where seen.insert(use).inserted {
                open.append(use)
            }
        }
        return seen
    }

    /// What a row says that does not lie below it: rooms of later rows, and of none.
    var problems: [String] {
        var known: Set<String> = []
        var result: [String] = []
        for row in rows {
            for use in row.uses where !known.contains(use) {
                result.append(
                    "\(row.rooms.joined(separator: ", ")) may use \(use), which stands in no row "
                        + "above it: put the rows in the order of the floors, the ground first."
                )
            }
            known.formUnion(row.rooms)
        }
        return result
    }
}
