import Foundation

/// What others have left beside a store.
extension Condition {
    static let leftovers: [Condition] = [
        Condition("empty-file", "first-opening", .works) { folder in
            try Data().write(to: store(in: folder))
            return {}
        },
        Condition("empty-file", "read-only-opening", .error(260)) { folder in
            try inPlace(of: store(in: folder)) { creat($0, 0o644) >= 0 ? 0 : -1 }
        },
        Condition("empty-log", "opening", .works) { try leave(Data(), "-wal", $0) },
        Condition("foreign-log", "opening", .works) { try leave(junk, "-wal", $0) },
        Condition("foreign-log", "read-only-opening", .works) { try leave(junk, "-wal", $0) },
        Condition("foreign-index", "opening", .works) { try leave(junk, "-shm", $0) },
        Condition("foreign-journal", "opening", .works) { try leave(junk, "-journal", $0) },
        Condition("folder-as-log", "opening", .error(134_080)) { folder in
            try inPlace(of: beside(folder, "-wal")) { mkdir($0, 0o755) }
        },
        Condition("folder-as-index", "opening", .works) { folder in
            try inPlace(of: beside(folder, "-shm")) { mkdir($0, 0o755) }
        },
        Condition("file-as-values", "external-data", .error(134_030)) { folder in
            let values = folder.appendingPathComponent(".Store_SUPPORT")
            return try inPlace(of: values) { creat($0, 0o644) >= 0 ? 0 : -1 }
        },
        Condition("file-as-values", "opening", .works) { folder in
            let values = folder.appendingPathComponent(".Store_SUPPORT")
            return try inPlace(of: values) { creat($0, 0o644) >= 0 ? 0 : -1 }
        },
        Condition("link-as-values", "external-data", .error(134_030)) { folder in
            let values = folder.appendingPathComponent(".Store_SUPPORT")
            return try inPlace(of: values) { symlink("/tmp", $0) }
        },
        Condition("half-a-seed", "seeding", .works) { folder in
            let staging = folder.appendingPathComponent(".Store.sqlite.seeding")
            try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
            try junk.write(to: staging.appendingPathComponent("Store.sqlite"))
            return {}
        },
        Condition("half-a-target", "migration-mapped", .works) { folder in
            try Data().write(to: folder.appendingPathComponent("Migrated.sqlite"))
            return {}
        },
    ]

    private static let junk = Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private static func beside(_ folder: URL, _ suffix: String) -> URL {
        URL(fileURLWithPath: store(in: folder).path + suffix)
    }

    private static func leave(
        _ data: Data,
        _ suffix: String,
        _ folder: URL
    ) throws -> () throws -> Void {
        try data.write(to: beside(folder, suffix))
        return {}
    }
}
