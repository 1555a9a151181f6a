import Foundation

/// Texts that other programs read otherwise.
extension HostileValue {
    static let texts: [HostileValue] =
        plain.map { HostileValue($0.0, "text", $0.1) }
        + [
            // A file with columns can't tell it from none.
            HostileValue("empty", "text", "", exchanged: .storedAs(nil))
        ]

    private static let plain: [(String, String)] =
        [
            ("space", " "), ("spaces-around", "  a  "), ("nul", "\0"), ("nul-inside", "a\0b"),
            ("nul-at-end", "a\0"), ("byte-order-mark", "\u{FEFF}a"), ("noncharacter", "\u{FFFF}"),
            ("last-scalar", "\u{10FFFF}"), ("private-use", "\u{E000}\u{F8FF}"),
            ("replacement", "\u{FFFD}"), ("zero-width", "a\u{200B}b\u{200D}"),
            ("composed", "\u{E9}"), ("decomposed", "e\u{301}"), ("hangul", "\u{AC00}"),
            ("jamo", "\u{1100}\u{1161}"),
            ("many-marks", "a" + String(repeating: "\u{301}", count: 200)),
            ("family", "👨‍👩‍👧‍👦"), ("flag", "🇨🇭"), ("skin", "👍🏽"), ("keycap", "1️⃣"),
            ("hebrew", "שלום"), ("arabic", "مرحبا"), ("override", "\u{202E}abc\u{202C}"),
            ("isolate", "\u{2066}abc\u{2069}"), ("dotted-i", "İiIı"), ("sharp-s", "ß"),
            ("ligature", "ﬀ"), ("kelvin", "\u{212A}"), ("angstrom", "\u{212B}"),
            ("line-separator", "a\u{2028}b\u{2029}c"), ("next-line", "a\u{85}b"),
            ("carriage-return", "a\rb"), ("line-feed", "a\nb"), ("both", "a\r\nb"),
            ("tab", "a\tb"), ("vertical-tab", "a\u{B}b"), ("delete", "\u{7F}"),
            (
                "controls",
                String(String.UnicodeScalarView((1..<32).compactMap(Unicode.Scalar.init)))
            ),
        ] + commands + numbers + lengths

    private static let commands: [(String, String)] = [
        ("apostrophe", "it's"), ("quotes", "\"quoted\""), ("backtick", "`a`"),
        ("statement", "'); DROP TABLE ZTHING;--"), ("comment", "/* a */ -- b"),
        ("format", "%@ %d %n %s %K"), ("backslash", "\\n\\u0041\\"),
        ("pattern", "*a?[b]{c}^$.+|()"),
        ("predicate", "SELF == nil OR TRUEPREDICATE"), ("variable", "$x"),
        ("markup", "<a b='c'>&amp;"),
        ("end-of-section", "]]>"), ("entity", "&lt;&#0;&x;"), ("json", "{\"a\": [1, null]}"),
        ("columns", "a,b;c\td\"e\"\r\nf"), ("formula", "=cmd|' /C calc'!A0"),
        ("path", "../../etc/passwd"),
    ]

    /// Texts that say something else to a column or a file.
    private static let numbers: [(String, String)] = [
        ("number", "0"), ("leading-zero", "007"), ("exponent", "1e5"), ("hexadecimal", "0x1F"),
        ("minus-zero", "-0"), ("not-a-number", "NaN"), ("infinity", "Infinity"), ("null", "NULL"),
        ("nil", "nil"), ("boolean", "true"), ("date", "2001-01-01T00:00:00Z"),
    ].map { ($0.0 + "-as-text", $0.1) }

    private static let lengths: [(String, String)] = [
        ("65,535-bytes", String(repeating: "x", count: 65_535)),
        ("65,536-bytes", String(repeating: "x", count: 65_536)),
        ("a-million-bytes", String(repeating: "y", count: 1_000_000)),
        ("many-emoji", String(repeating: "🐘", count: 50_000)),
        ("one-character", "a" + String(repeating: "\u{323}\u{307}", count: 20_000)),
    ]
}
