import CTorture
import Foundation

/// What a process may use.
extension Condition {
    static let limits: [Condition] =
        descriptors + interrupts + [
            Condition(
                "small-stack",
                "migration-mapped",
                .works,
                Surroundings(shell: "ulimit -s 512")
            ),
            Condition("small-stack", "many-to-many", .works, Surroundings(shell: "ulimit -s 512")),
            Condition("no-more-threads", "insert", .works, .nobody) { _ in
                try limit(__RLIMIT_NPROC, to: 0)
            },
            Condition("no-more-threads", "batch-insert", .works, .nobody) { _ in
                try limit(__RLIMIT_NPROC, to: 0)
            },
            Condition(
                "no-watches",
                "watching",
                .works,
                Surroundings(
                    shell: "echo 0 > /proc/sys/user/max_inotify_instances",
                    namespaces: "-Ur"
                )
            ),
        ]

    private static let descriptors: [Condition] = [
        ("first-opening", Documented.error(134_080)), ("opening", .error(134_080)),
        ("insert", .works), ("external-data", .error(134_030)), ("faults", .works),
        ("migration-light", .error(134_080)), ("migration-mapped", .error(134_150)),
        ("replace", .error(256)), ("destroy", .error(134_080)),
        ("seeding", .layer(.seedNotInstalled)),
        ("metadata-reading", .error(134_080)), ("binary-opening", .error(134_080)),
        ("binary-save", .error(134_030)), ("xml-opening", .error(134_080)),
        ("model-reading", .error(256)), ("export", .error(134_080)),
        ("import", .layer(.unreadableFile)),
    ].map { scenario, documented in
        Condition("no-more-descriptors", scenario, documented, begin: useUp)
    }

    private static let interrupts: [Condition] = [
        "first-opening", "insert", "external-data", "history", "migration-light",
        "migration-mapped", "replace", "seeding", "binary-save", "xml-opening", "export", "import",
    ].map { scenario in
        Condition("interrupted-calls", scenario, .works) { _ in
            interrupts_begin(200)
            return { interrupts_end() }
        }
    }

    // MARK: What conditions do

    /// Leaves no descriptor to be had.
    private static func useUp(_ folder: URL) throws -> () throws -> Void {
        // The lowest number that is free; those above it may be in use.
        let free = dup(1)
        guard free >= 0 else { throw failure() }
        close(free)
        return try limit(RLIMIT_NOFILE, to: rlim_t(free))
    }
}
