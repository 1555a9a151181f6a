import Foundation

/// Damage to the files of external values, and to what rows say of them.
enum ValueDamage {
    private static let names = [
        "../../../../../../../../etc/hostname", "/etc/hostname", "..", "", "%00",
        "nothing-of-that-name-is-there-at-all",
        "a/b/c", "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE",
    ]

    static func damage(_ url: URL, _ numbers: inout SeededNumbers) throws {
        if numbers.number(below: 2) == 0 {
            try damageRows(url, &numbers)
        } else {
            try damageFiles(url, &numbers)
        }
    }

    private static func damageRows(_ url: URL, _ numbers: inout SeededNumbers) throws {
        let database = try Database(url.path)
        defer { database.close() }
        let name = names[numbers.number(below: names.count)]
        // A reference is 2, a name of 36 characters and a zero; other lengths are damage, too.
        let fitting = String((name + String(repeating: "/", count: 36)).prefix(36))
        let text = numbers.number(below: 2) == 0 ? fitting : name
        let hex = ([2] + Array(text.utf8) + [0]).map { String(format: "%02x", $0) }.joined()
        let place = numbers.number(below: 3)
        try database.rows("UPDATE ZITEM SET ZDATA = x'\(hex)' WHERE Z_PK % 3 = \(place)") { _ in }
    }

    private static func damageFiles(_ url: URL, _ numbers: inout SeededNumbers) throws {
        let folder = url.deletingLastPathComponent()
            .appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        guard !files.isEmpty else { return }
        let file = folder.appendingPathComponent(files[numbers.number(below: files.count)])
        switch numbers.number(below: 5) {
        case 0: try FileManager.default.removeItem(at: file)
        case 1: try Data().write(to: file)
        case 2:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        case 3:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(
                atPath: file.path,
                withDestinationPath: numbers.number(below: 2) == 0 ? "/dev/zero" : file.path
            )
        default:
            try FileManager.default.removeItem(at: folder)
            try Data("no folder".utf8).write(to: folder)
        }
    }
}
