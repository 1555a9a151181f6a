import SwiftSource
import Testing

@Suite struct SwiftSourceTests {
    private func texts(_ text: String) -> [String] {
        let source = SwiftSource(text)
        return source.tokens.map(source.text)
    }

    @Test func commentsNest() {
        #expect(texts("a /* b /* c */ d */ e // f\ng") == ["a", "e", "g"])
    }

    @Test func directivesAndAttributesAreTokens() {
        #expect(
            texts("@objc(Name) #keyPath(A.b)\n#if os(iOS)") == [
                "@", "objc", "(", "Name", ")", "#keyPath", "(", "A", ".", "b", ")", "#if", "os",
                "(",
                "iOS", ")",
            ]
        )
    }

    @Test(arguments: [
        (#""plain // no comment""#, 1), (##"#"raw \(no) " quote"#"##, 1), (##"#"""#"##, 1),
        (##"#""""#"##, 1), (##"#"""a"# + b"##, 3), ("#\"\"\"\n a\"b\n\"\"\"#", 1),
        ("\"\"\"\n two \"lines\"\n /* text */\n\"\"\"", 1), (#""\"escaped\"""#, 1),
        (#""a \(b) c""#, 5), (#""a \(f("x \(y)")) c""#, 12), (##"#"a \#(b) \(c)"#"##, 5),
        ("/a\"b/", 1), (#"#/ a"\/b /#"#, 1), (#"/a[)]"(b)/"#, 1), ("#/\n \" # }\n/#", 1),
        (#"c ? /a"/ : /b"/"#, 5), (#"!/a"/"#, 2), (#"a+/b"#, 3),
    ])
    func literalsKeepTogether(literal: String, count: Int) {
        let source = SwiftSource("let x = \(literal); end")
        #expect(source.unfinished == nil)
        #expect(source.tokens.count == 3 + count + 2)
        #expect(source.tokens.last.map(source.text) == "end")
    }

    @Test func divisionIsNoRegularExpression() {
        #expect(texts("a / b \" / c\"") == ["a", "/", "b", "\" / c\""])
        #expect(texts("(a) /b/ c") == ["(", "a", ")", "/", "b", "/", "c"])
        #expect(texts("a! /b/ c") == ["a", "!", "/", "b", "/", "c"])
        // Neither does one end with a blank, nor close what it has not opened: the compiler's rules.
        #expect(texts("f(/, a /)") == ["f", "(", "/", ",", "a", "/", ")"])
        #expect(texts("x = /a /") == ["x", "=", "/", "a", "/"])
    }

    @Test func linesAndBracketsAreFound() throws {
        let source = SwiftSource("{ \"\\(a)\"\n  (b)\n}")
        #expect(source.closingBracket(of: 0) == source.tokens.count - 1)
        let word = try #require(source.tokens.firstIndex { source.text($0) == "b" })
        #expect(source.tokens[word].line == 2)
        #expect(!source.tokens[word].isFirstInLine)
        #expect(source.tokens[word - 1].isFirstInLine)
        #expect(source.indentation(of: source.tokens[word]) == "  ")
        #expect(source.word(word) == "b")
    }

    @Test(arguments: [
        "/* a", "\"a", "\"\"\"\na", "\"\\(", "a `b", "#\"a\"", "/", "#", "\\", "\u{FEFF}a",
    ])
    func unfinishedTextEnds(text: String) {
        let source = SwiftSource(text)
        #expect(source.tokens.allSatisfy { $0.range.upperBound <= source.bytes.count })
    }

    @Test(
        arguments: [
            ("a\n /* /* */", SwiftUnfinished.Kind.comment, 2, 2),
            ("a\n\"b\nc", .string, 2, 1), ("\"\"\"\na", .string, 1, 1),
            ("f(\"\\(g(\"a\n)\")", .string, 1, 8), ("a = \"\\(b\nc", .interpolation, 1, 7),
            ("a = #/b\n/#", .regex, 1, 5),
        ]
    )
    func whatDoesNotEndIsTold(
        text: String,
        kind: SwiftUnfinished.Kind,
        line: Int,
        column: Int
    ) throws {
        let source = SwiftSource(text)
        let unfinished = try #require(source.unfinished)
        #expect(unfinished.kind == kind)
        #expect(unfinished.line == line)
        #expect(source.column(of: unfinished.offset) == column)
    }

    @Test func commentsBelongToTheTokenBehindThem() {
        let source = SwiftSource("// a\n/* b */ c /* \" */\nd // e")
        func comments(_ index: Int) -> [String] { source.comments(before: index).map(source.text) }
        #expect(comments(0) == ["// a", "/* b */"])
        #expect(comments(1) == ["/* \" */"])
        #expect(comments(2) == ["// e"])
    }
}
