import CTorture
import Foundation

/// What a user may not do.
extension Condition {
    static let permissions: [Condition] = files + folders + values + strangers

    private static func nobody(
        _ name: String,
        _ scenario: String,
        _ documented: Documented,
        begin: @escaping (URL) throws -> () throws -> Void
    ) -> Condition {
        Condition(name, scenario, documented, .nobody, begin: begin)
    }

    private static let files: [Condition] = [
        nobody("closed-file", "opening", .error(257)) { try close(store(in: $0)) },
        nobody("closed-file", "read-only-opening", .error(257)) { try close(store(in: $0)) },
        nobody("closed-file", "metadata-reading", .error(257)) { try close(store(in: $0)) },
        nobody("closed-file", "reading", .works) { try close(store(in: $0)) },
        nobody("read-only-file", "opening", .error(513)) { try protect(store(in: $0)) },
        nobody("read-only-file", "read-only-opening", .works) { try protect(store(in: $0)) },
        nobody("read-only-file", "metadata-writing", .error(513)) { try protect(store(in: $0)) },
        nobody("read-only-file", "migration-light", .error(513)) { try protect(store(in: $0)) },
        nobody("read-only-file", "destroy", .error(513)) { try protect(store(in: $0)) },
        nobody("closed-log", "opening-log", .error(513)) {
            try close(URL(fileURLWithPath: store(in: $0).path + "-wal"))
        },
        nobody("read-only-log", "opening-log", .error(513)) {
            try protect(URL(fileURLWithPath: store(in: $0).path + "-wal"))
        },
        nobody("closed-file", "binary-opening", .error(257)) {
            try close($0.appendingPathComponent("Store.binary"))
        },
        nobody("closed-file", "xml-opening", .error(257)) {
            try close($0.appendingPathComponent("Store.xml"))
        },
        nobody("closed-file", "model-reading", .error(257)) {
            try close($0.appendingPathComponent("Model.xcdatamodel/contents"))
        },
        nobody("closed-file", "import", .layer(.unreadableFile)) {
            try close($0.appendingPathComponent("Owners.csv"))
        },
    ]

    private static let folders: [Condition] = [
        nobody("read-only-folder", "first-opening", .error(513)) { try protect($0) },
        nobody("read-only-folder", "opening", .error(513)) { try protect($0) },
        nobody("read-only-folder", "read-only-opening", .works) { try protect($0) },
        nobody("read-only-folder", "metadata-reading", .works) { try protect($0) },
        nobody("read-only-folder", "metadata-writing", .error(513)) { try protect($0) },
        nobody("read-only-folder", "insert", .works) { try protect($0) },
        nobody("read-only-folder", "migration-light", .error(134_110)) { try protect($0) },
        nobody("read-only-folder", "migration-mapped", .error(134_160)) { try protect($0) },
        nobody("read-only-folder", "replace", .error(513)) { try protect($0) },
        nobody("read-only-folder", "destroy", .error(513)) { try protect($0) },
        nobody("read-only-folder", "move", .error(513)) { try protect($0) },
        nobody("read-only-folder", "seeding", .layer(.seedNotInstalled)) { try protect($0) },
        nobody("read-only-folder", "binary-save", .error(513)) { try protect($0) },
        nobody("read-only-folder", "xml-save", .error(513)) { try protect($0) },
        nobody("read-only-folder", "export", .error(513)) {
            try protect($0.appendingPathComponent("exports"))
        },
        nobody("closed-folder", "opening", .error(257)) { try close($0) },
        nobody("closed-folder", "metadata-reading", .error(257)) { try close($0) },
        nobody("closed-folder", "insert", .error(134_030)) { try close($0) },
    ]

    private static let values: [Condition] = [
        nobody("closed-values", "reading", .error(257)) { try close(values(in: $0)) },
        nobody("closed-values", "faults", .works) { try close(values(in: $0)) },
        nobody("closed-value", "reading", .error(257)) { try close(eachValue(in: $0)) },
        nobody("closed-value", "migration-mapped", .error(257)) { try close(eachValue(in: $0)) },
        nobody("read-only-values", "external-data", .error(513)) { try protect(values(in: $0)) },
        nobody("read-only-values", "insert", .works) { try protect(values(in: $0)) },
    ]

    /// Files and folders of another user.
    private static let strangers: [Condition] = [
        nobody("others-file", "opening", .error(513)) { try giveAway(store(in: $0)) },
        nobody("others-file", "read-only-opening", .works) { try giveAway(store(in: $0)) },
        nobody("others-folder", "first-opening", .error(513)) { try giveAway($0) },
        nobody("others-folder", "seeding", .layer(.seedNotInstalled)) { try giveAway($0) },
    ]

    // MARK: What conditions do

    static func values(in folder: URL) -> URL {
        folder.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
    }

    private static func eachValue(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: values(in: folder),
            includingPropertiesForKeys: nil
        )
    }

    private static func close(_ urls: URL...) throws -> () throws -> Void { try close(urls) }
    private static func close(_ urls: [URL]) throws -> () throws -> Void {
        try change(urls, to: 0)
    }
    private static func protect(_ url: URL) throws -> () throws -> Void {
        var info = stat()
        guard stat(url.path, &info) == 0 else { throw failure() }
        return try change([url], to: info.st_mode & 0o555)
    }

    private static func change(_ urls: [URL], to mode: mode_t) throws -> () throws -> Void {
        var before: [(String, mode_t)] = []
        for url in urls {
            var info = stat()
            guard stat(url.path, &info) == 0 else { throw failure() }
            before.append((url.path, info.st_mode & 0o777))
            guard chmod(url.path, mode) == 0 else { throw failure() }
        }
        return {
            for (path, mode) in before {
                guard chmod(path, mode) == 0 else { throw failure() }
            }
        }
    }

    /// Makes a file or a folder root's, whom others may read and not write.
    private static func giveAway(_ url: URL) throws -> () throws -> Void {
        let own = geteuid()
        let hand = { (owner: uid_t) in
            guard seteuid(0) == 0 else { throw NotPossibleHere(reason: "root alone can do this") }
            defer { seteuid(own) }
            guard chown(url.path, owner, owner) == 0 else { throw failure() }
        }
        try hand(0)
        return { try hand(own) }
    }
}
