import Foundation

/// What others do with a store's files.
extension Condition {
    static let sharing: [Condition] = locks + moves

    private static let locks: [Condition] = [
        Condition("locked-by-a-writer", "impatient-insert", .error(134_090)) {
            try lock($0, .writing)
        },
        Condition("locked-by-a-writer", "reading", .works) { try lock($0, .writing) },
        Condition("locked-by-a-writer", "read-only-opening", .works) { try lock($0, .writing) },
        Condition("locked-as-a-whole", "impatient-opening", .error(134_090)) {
            try lock($0, .all)
        },
        Condition("read-by-another", "insert", .works) { try lock($0, .reading) },
        Condition("read-by-another", "closing", .works) { try lock($0, .reading) },
        Condition("read-by-another", "migration-light", .works) { try lock($0, .reading) },
        Condition("read-by-another", "seeding", .works) { try lock($0, .reading) },
    ]

    private static let moves: [Condition] = [
        Condition("moved-away", "insert", .error(134_030)) { try hide(store(in: $0)) },
        Condition("moved-away", "external-data", .error(134_030)) { try hide(store(in: $0)) },
        Condition("moved-away", "batch-update", .error(134_030)) { try hide(store(in: $0)) },
        Condition("moved-away", "history-deleting", .error(134_030)) { try hide(store(in: $0)) },
        Condition("moved-away", "reading", .works) { try hide(store(in: $0)) },
        Condition("moved-away", "binary-save", .error(134_030)) {
            try hide($0.appendingPathComponent("Store.binary"))
        },
        Condition("folder-moved-away", "insert", .error(134_030)) { try hide($0) },
        Condition("replaced", "insert", .error(134_030), begin: replace),
        Condition("replaced", "batch-insert", .error(134_030), begin: replace),
        Condition("replaced", "reading", .works, begin: replace),
        Condition("log-removed", "insert", .error(134_030)) { try remove("-wal", in: $0) }
            .lasting(),
        Condition("log-removed", "batch-update", .error(134_030)) { try remove("-wal", in: $0) }
            .lasting(),
        Condition("log-moved-away", "insert", .error(134_030)) { folder in
            try hide(URL(fileURLWithPath: store(in: folder).path + "-wal"))
        },
        Condition("log-index-removed", "insert", .works) { try remove("-shm", in: $0) },
        Condition("values-removed", "external-data", .works) { folder in
            try FileManager.default.removeItem(at: folder.appendingPathComponent(".Store_SUPPORT"))
            return {}
        },
        Condition("second-name", "second-name", .works).prepared { folder in
            // A hard link, once nobody has the file open under its first name.
            let second = folder.appendingPathComponent("Second.sqlite").path
            guard unlink(second) == 0, link(store(in: folder).path, second) == 0 else {
                throw failure()
            }
        },
    ]

    // MARK: What conditions do

    private static func lock(_ folder: URL, _ kind: LockChild.Kind) throws -> () throws -> Void {
        let holder = try LockHolder(store(in: folder), kind)
        return { holder.end() }
    }

    /// Puts another store in a store's place.
    private static func replace(_ folder: URL) throws -> () throws -> Void {
        let other = folder.appendingPathComponent("Replacement.sqlite")
        let stack = try Stack(other)
        try stack.save { $0.make("Owner", "another") }
        try stack.close()
        let show = try hide(store(in: folder))
        guard rename(other.path, store(in: folder).path) == 0 else { throw failure() }
        return show
    }

    private static func remove(_ suffix: String, in folder: URL) throws -> () throws -> Void {
        guard unlink(store(in: folder).path + suffix) == 0 else { throw failure() }
        return {}
    }
}
