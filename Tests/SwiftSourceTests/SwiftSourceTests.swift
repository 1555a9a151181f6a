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
        ("\"\"\"\n two \"lines\"\n /* text */\n\"\"\"", 1), (#""\"escaped\"""#, 1),
        (#""a \(b) c""#, 5), (#""a \(f("x \(y)")) c""#, 12), (##"#"a \#(b) \(c)"#"##, 5),
        ("/a\"b/", 1), (#"#/ a"\/b /#"#, 1),
    ])
    func literalsKeepTogether(literal: String, count: Int) {
        let source = SwiftSource("let x = \(literal); end")
        #expect(source.unfinishedLine == nil)
        #expect(source.tokens.count == 3 + count + 2)
        #expect(source.tokens.last.map(source.text) == "end")
    }

    @Test func divisionIsNoRegularExpression() {
        #expect(texts("a / b \" / c\"") == ["a", "/", "b", "\" / c\""])
        #expect(texts("(a) /b/ c") == ["(", "a", ")", "/", "b", "/", "c"])
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
}
