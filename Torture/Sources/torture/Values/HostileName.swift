import Foundation

/// A name of an entity or a property that means something else to SQL, to a file or to a predicate.
enum HostileName {
    static let all: [(label: String, name: String)] = words + shapes + scripts

    /// Entities whose tables would have the name of one of the store's own.
    static let refused: Set = ["_METADATA", "_PRIMARYKEY", "_MODELCACHE"]

    /// What format strings, sort descriptors and columns of requests take for a path or an operator,
    /// or for the object itself.
    static let unaskable: Set = ["a.b", "@count", "self", "SELF", "objectID"]

    static func named(_ label: String) -> String? { all.first { $0.label == label }?.name }

    private static let words =
        [
            "select", "ORDER", "group", "table", "index", "where", "from", "values", "default",
            "null",
            "primary", "references", "check", "abort", "rowid", "_rowid_", "oid", "sqlite_master",
            "sqlite_sequence", "PK", "ENT", "OPT", "_PK", "_ENT", "_OPT", "_FOK_OWNERS", "_MAX",
            "_METADATA", "_PRIMARYKEY", "_MODELCACHE", "_1OWNERS", "ACHANGE", "self", "SELF", "any",
            "all", "in", "nil", "true", "and", "count", "first", "size", "objectID", "description",
            "hash", "entity", "managedObjectContext", "class", "init", "id", "Z", "z_pk",
        ].map { ($0, $0) }

    private static let shapes = [
        ("space", "two words"), ("digit", "1st"), ("dash", "a-b"), ("dot", "a.b"), ("at", "@count"),
        ("dollar", "$x"), ("hash-sign", "#x"), ("per-cent", "100%"), ("apostrophe", "it's"),
        ("quotes", "a\"b\"c"), ("backtick", "`a`"), ("bracket", "[a]"), ("semicolon", "a;b"),
        ("comment", "a--b"), ("backslash", "a\\b"), ("slash", "a/b"), ("comma", "a,b"),
        ("markup", "<a&b>"), ("line-end", "a\nb"), ("one-letter", "q"),
        ("long", String(repeating: "long", count: 250)),
        ("injection", "x\"); DROP TABLE Z_METADATA; --"),
    ]

    private static let scripts = [
        ("umlaut", "größe"), ("sharp-s", "straße"), ("dotless", "ısı"), ("accent", "e\u{301}tage"),
        ("hebrew", "שם"), ("arabic", "اسم"), ("chinese", "名前"), ("emoji", "🐘"), ("flag", "🇨🇭"),
        ("override", "\u{202E}eman"), ("zero-width", "a\u{200B}b"), ("no-break", "a\u{A0}b"),
        ("marks", "a" + String(repeating: "\u{301}", count: 50)),
    ]
}

/// Names that are different to a model, and might be one to SQL.
enum HostilePair {
    /// Entities whose tables SQL can't tell apart, as it can't tell apart what differs in case.
    static let refused: Set = ["case", "sharp-s", "dotted", "numbered", "keys", "ligature"]

    static let all: [(label: String, names: [String])] = [
        ("case", ["item", "ITEM", "Item"]), ("sharp-s", ["straße", "strasse", "STRASSE"]),
        ("dotted", ["title", "tıtle", "tİtle"]), ("forms", ["\u{E9}", "e\u{301}x", "E"]),
        ("numbered", ["name", "NAME", "name1"]), ("keys", ["_PK", "_pk", "PK"]),
        ("ligature", ["ﬀ", "ff", "FF"]), ("kelvin", ["k", "\u{212A}", "kk"]),
    ]

    static func named(_ label: String) -> [String]? { all.first { $0.label == label }?.names }
}
