import Foundation

/// What the path of a store leads to.
extension Condition {
    static let paths: [Condition] =
        [
            Condition("missing-folder", "first-opening", .error(134_080)) { try hide($0) },
            Condition("missing-folder", "opening", .error(134_080)) { try hide($0) },
            Condition("missing-file", "read-only-opening", .error(260)) { try hide(store(in: $0)) },
            Condition("missing-file", "metadata-reading", .error(260)) { try hide(store(in: $0)) },
            Condition("missing-file", "metadata-writing", .error(260)) { try hide(store(in: $0)) },
            Condition("folder-is-a-file", "first-opening", .error(134_080)) { folder in
                let show = try hide(folder)
                try Data("a file".utf8).write(to: folder)
                return {
                    try FileManager.default.removeItem(at: folder)
                    try show()
                }
            },
            Condition("link-to-itself", "first-opening", .error(134_080)) { folder in
                try inPlace(of: store(in: folder)) { symlink("Store.sqlite", $0) }
            },
            Condition("link-to-nowhere", "first-opening", .works) { folder in
                let target = folder.appendingPathComponent("Real.sqlite").path
                guard symlink(target, store(in: folder).path) == 0 else { throw failure() }
                return {}
            },
            Condition("long-name", "long-name", .error(134_080)).lasting(),
            Condition("no-file-url", "no-file-url", .error(134_080)).lasting(),
            Condition("relative-path", "relative-path", .works),
            Condition(
                "long-path",
                "first-opening",
                .error(134_080),
                Surroundings(
                    folder: Array(repeating: String(repeating: "f", count: 200), count: 4)
                        .joined(separator: "/")
                )
            ).lasting(),
        ] + linked + unusual + others

    /// Stores that are reached by links.
    private static let linked: [Condition] = ["insert", "external-data", "replace", "seeding"]
        .flatMap { scenario in
            [
                Condition("link-to-file", scenario, .works).prepared(linkFile),
                Condition("link-to-folder", scenario, .works).prepared(linkFolder),
            ]
        }

    private static func linkFile(_ folder: URL) throws {
        let file = store(in: folder), real = folder.appendingPathComponent("real/Store.sqlite")
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try FileManager.default.createDirectory(
            at: real.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        for name in ["Store.sqlite", ".Store_SUPPORT"] {
            let item = folder.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: item.path) else { continue }
            let place = real.deletingLastPathComponent().appendingPathComponent(name)
            try FileManager.default.moveItem(at: item, to: place)
        }
        guard symlink(real.path, file.path) == 0 else { throw failure() }
    }

    private static func linkFolder(_ folder: URL) throws {
        let real = folder.deletingLastPathComponent().appendingPathComponent("real")
        try FileManager.default.moveItem(at: folder, to: real)
        guard symlink(real.path, folder.path) == 0 else { throw failure() }
    }

    /// Folders with names that a shell, a URL or a printer might take for something else.
    private static let unusual: [Condition] = [
        ("space", "with space"), ("apostrophe", "it's"), ("quotes", "\"quoted\""),
        ("per-cent", "100%25"), ("question", "what?#really"), ("line-end", "new\nline"),
        ("tab", "tab\there"), ("umlaut", "Köln"), ("accent", "e\u{301}"), ("emoji", "𝄞🐘"),
        ("override", "\u{202E}thgir"), ("pattern", "[0-9]*"), ("option", "-rf"),
        ("shell", "a;b&c|d"), ("home", "~"), ("uri", "file:mode=ro"), ("backslash", "back\\slash"),
    ].map { name, folder in
        Condition("folder-with-\(name)", "external-data", .works, Surroundings(folder: folder))
    }

    /// What is no regular file.
    private static let others: [Condition] =
        ["first-opening", "read-only-opening", "metadata-reading", "destroy"].flatMap { scenario in
            [
                Condition("folder-as-file", scenario, .error(259)) { folder in
                    try inPlace(of: store(in: folder)) { mkdir($0, 0o755) }
                },
                Condition("pipe-as-file", scenario, .error(259)) { folder in
                    try inPlace(of: store(in: folder)) { mkfifo($0, 0o644) }
                },
                Condition("device-as-file", scenario, .error(259)) { folder in
                    try inPlace(of: store(in: folder)) { symlink("/dev/zero", $0) }
                },
            ]
        }

    // MARK: What conditions do

    static func store(in folder: URL) -> URL { Scenario.store(in: folder) }

    /// Moves a file or a folder out of sight.
    static func hide(_ url: URL) throws -> () throws -> Void {
        let name = url.lastPathComponent + ".hidden"
        let hidden = url.deletingLastPathComponent().appendingPathComponent(name)
        guard rename(url.path, hidden.path) == 0 else { throw failure() }
        return {
            // What was made in its place meanwhile goes.
            if FileManager.default.fileExists(atPath: url.path) {
                try FileManager.default.removeItem(at: url)
            }
            guard rename(hidden.path, url.path) == 0 else { throw failure() }
        }
    }

    /// Makes something else where a file is, or would be.
    static func inPlace(
        of url: URL,
        _ make: (String) -> Int32
    ) throws -> () throws -> Void {
        let isThere = FileManager.default.fileExists(atPath: url.path)
        let show = isThere ? try hide(url) : {}
        guard make(url.path) == 0 else { throw failure() }
        return {
            if unlink(url.path) != 0 { try FileManager.default.removeItem(at: url) }
            try show()
        }
    }

    static func failure() -> any Error {
        NotPossibleHere(reason: String(cString: strerror(errno)))
    }
}
