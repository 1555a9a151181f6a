import CTorture
import Foundation

/// How much may be written.
extension Condition {
    static let space: [Condition] = full + readOnly + bounded

    private static let full: [Condition] =
        [
            "first-opening", "opening", "opening-log", "insert", "update", "many-to-many",
            "ordered",
            "external-data", "history", "batch-insert", "batch-update", "history-deleting",
            "migration-light", "replace", "move", "binary-save", "xml-save", "metadata-writing",
            "export", "read-only-opening",
        ].map { scenario in
            Condition("full-disk", scenario, .error(640), .memory) { try fill($0) }
        }
        + [
            Condition("full-disk", "reading", .works, .memory) { try fill($0) },
            Condition("full-disk", "faults", .works, .memory) { try fill($0) },
            Condition("full-disk", "closing", .works, .memory) { try fill($0) },
            Condition("full-disk", "destroy", .works, .memory) { try fill($0) },
            Condition("full-disk", "migration-mapped", .error(134_150), .memory) { try fill($0) },
            Condition("full-disk", "seeding", .layer(.seedNotInstalled), .memory) { try fill($0) },
        ]

    private static let readOnly: [Condition] = [
        Condition("read-only-volume", "first-opening", .error(642), .memory, begin: freeze),
        Condition("read-only-volume", "opening", .error(642), .memory, begin: freeze),
        Condition("read-only-volume", "read-only-opening", .works, .memory, begin: freeze),
        Condition("read-only-volume", "metadata-reading", .works, .memory, begin: freeze),
        Condition("read-only-volume", "replace", .error(642), .memory, begin: freeze),
        Condition("read-only-volume", "destroy", .error(642), .memory, begin: freeze),
        Condition(
            "read-only-volume",
            "seeding",
            .layer(.seedNotInstalled),
            .memory,
            begin: freeze
        ),
    ]

    private static let bounded: [Condition] = [
        Condition("page-limit", "few-pages", .works),
        Condition("file-size-limit", "insert", .error(134_180), begin: limitFileSize),
        Condition("file-size-limit", "first-opening", .error(640), begin: limitFileSize),
        Condition("file-size-limit", "external-data", .error(134_030), begin: limitFileSize),
        Condition("file-size-limit", "migration-light", .error(640), begin: limitFileSize),
        Condition("file-size-limit", "binary-save", .error(134_030), begin: limitFileSize),
        Condition("file-size-limit", "reading", .works, begin: limitFileSize),
    ]

    // MARK: What conditions do

    /// Writes a file until there is no room for more.
    private static func fill(_ folder: URL) throws -> () throws -> Void {
        let filler = folder.deletingLastPathComponent().appendingPathComponent("filler")
        let descriptor = open(filler.path, O_WRONLY | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        for size in [1 << 16, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while write(descriptor, bytes, size) > 0 {}
        }
        guard errno == ENOSPC else { throw failure() }
        return { guard unlink(filler.path) == 0 else { throw failure() } }
    }

    private static func freeze(_ folder: URL) throws -> () throws -> Void {
        let place = folder.deletingLastPathComponent().path
        guard mount_read_only(place, 1) == 0 else {
            throw NotPossibleHere(reason: "the folder can't be mounted read-only")
        }
        return {
            guard mount_read_only(place, 0) == 0 else {
                throw NotPossibleHere(reason: "the folder can't be mounted for writing again")
            }
        }
    }

    private static func limitFileSize(_ folder: URL) throws -> () throws -> Void {
        // Otherwise the signal would end the process, which a system with such limits has to know.
        signal(SIGXFSZ, SIG_IGN)
        return try limit(RLIMIT_FSIZE, to: 4_096)
    }

    /// Lowers a limit of the process, which it can raise again.
    static func limit(
        _ kind: __rlimit_resource,
        to number: rlim_t
    ) throws -> () throws -> Void {
        let resource = __rlimit_resource_t(kind.rawValue)
        var before = rlimit()
        guard getrlimit(resource, &before) == 0 else { throw failure() }
        var low = rlimit(rlim_cur: number, rlim_max: before.rlim_max)
        guard setrlimit(resource, &low) == 0 else { throw failure() }
        return {
            var old = before
            guard setrlimit(resource, &old) == 0 else { throw failure() }
        }
    }
}
