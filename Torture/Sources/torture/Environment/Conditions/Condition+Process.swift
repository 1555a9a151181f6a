import CTorture
import Foundation

/// What a process is told of its surroundings.
extension Condition {
    static let process: [Condition] =
        temporary + homes + languages + zones + clocks + masks + oddities

    private static func told(
        _ name: String,
        _ scenario: String,
        _ variables: [String: String],
        _ documented: Documented = .works
    ) -> Condition {
        Condition(name, scenario, documented, Surroundings(variables: variables))
    }

    private static let temporary: [Condition] = [
        told("no-temporary-folder", "throwaway", ["TMPDIR": "/nowhere/at/all"], .error(134_080))
            .lasting(),
        told("no-temporary-folder", "first-opening", ["TMPDIR": "/nowhere/at/all"]),
        told("no-temporary-folder", "migration-light", ["TMPDIR": "/nowhere/at/all"]),
        told("no-temporary-folder", "migration-mapped", ["TMPDIR": "/nowhere/at/all"]),
        told("no-temporary-folder", "replace", ["TMPDIR": "/nowhere/at/all"]),
        told("no-temporary-folder", "export", ["TMPDIR": "/nowhere/at/all"]),
        told("temporary-folder-is-a-file", "throwaway", ["TMPDIR": "/etc/passwd"], .error(134_080))
            .lasting(),
        Condition(
            "no-word-of-a-temporary-folder",
            "throwaway",
            .works,
            Surroundings(missing: ["TMPDIR"])
        ),
    ]

    private static let homes: [Condition] = [
        told("home", "container", ["HOME": "/tmp"]),
        Condition(
            "closed-home",
            "container",
            .error(513),
            Surroundings(user: .nobody, variables: ["HOME": "/root"], missing: ["XDG_DATA_HOME"])
        ).lasting(),
        told("home-is-a-file", "container", ["HOME": "/etc/passwd"], .error(513)).lasting(),
        Condition("no-word-of-a-home", "container", .works, Surroundings(missing: ["HOME"])),
    ]

    private static let languages: [Condition] =
        [
            "tr_TR.UTF-8", "de_DE.UTF-8", "ja_JP.eucJP", "C", "POSIX", "xx_YY", "", "../../etc",
        ].map { locale in
            let variables = ["LANG": locale, "LC_ALL": locale, "LANGUAGE": locale]
            return told("locale \(locale)", "text-search", variables)
        } + [told("locale tr_TR.UTF-8", "export", ["LC_ALL": "tr_TR.UTF-8"])]

    private static let zones: [Condition] = [
        "Pacific/Apia", "Asia/Kathmandu", "America/St_Johns", "UTC+25", "Nowhere/AtAll", "",
        ":/etc/passwd", "\u{1F570}",
    ].map { told("zone \($0)", "history", ["TZ": $0]) }

    private static let clocks: [Condition] = [
        ("an-hour-back", -3_600), ("ten-years-back", -315_576_000), ("before-1970", -2_524_608_000),
        ("an-hour-ahead", 3_600), ("beyond-2038", 631_152_000), ("beyond-2262", 9_467_280_000),
    ].flatMap { name, seconds in
        ["insert", "history-in-order", "external-data", "watching"].map { scenario in
            Condition("clock-\(name)", scenario, .works) { _ in
                clock_shift(Int64(seconds))
                return { clock_shift(0) }
            }
        }
    }

    private static let masks: [Condition] = [
        Condition("mask-077", "external-data", .works, .nobody) { _ in mask(0o077) },
        Condition("mask-077", "first-opening", .works, .nobody) { _ in mask(0o077) },
        Condition("mask-000", "external-data", .works, .nobody) { _ in mask(0) },
        Condition("mask-777", "first-opening", .error(513), .nobody) { _ in mask(0o777) }.lasting(),
    ]

    private static let oddities: [Condition] =
        ["first-opening", "external-data", "faults", "migration-light"].map { scenario in
            Condition("closed-standard-streams", scenario, .works) { _ in
                for descriptor in Int32(0)...2 { close(descriptor) }
                return {}
            }
        } + [
            Condition("lost-working-folder", "insert", .works, begin: loseFolder),
            Condition("lost-working-folder", "first-opening", .works, begin: loseFolder),
            // Later than at the program's start: Swift reads a program's arguments there.
            Condition("no-proc", "insert", .works, Surroundings(namespaces: "-Urm")) { _ in
                guard mount_memory("/proc", 64) == 0 else { throw failure() }
                return { guard umount("/proc") == 0 else { throw failure() } }
            },
        ]

    // MARK: What conditions do

    private static func mask(_ bits: mode_t) -> () throws -> Void {
        let before = umask(bits)
        return { umask(before) }
    }

    /// Has the process stand in a folder that is there no more.
    private static func loseFolder(_ folder: URL) throws -> () throws -> Void {
        let lost = folder.deletingLastPathComponent().appendingPathComponent("lost").path
        guard mkdir(lost, 0o755) == 0, chdir(lost) == 0, rmdir(lost) == 0 else { throw failure() }
        return { guard chdir("/") == 0 else { throw failure() } }
    }
}
