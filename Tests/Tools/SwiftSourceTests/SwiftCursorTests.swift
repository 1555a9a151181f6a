import SwiftSource
import Testing

@Suite struct SwiftCursorTests {
    @Test(
        arguments: [
            ("Set<Set<Int>>?", "=nil"), ("Int?", "= 1"), ("Box<(Int)->Set<A>>.Inner!", ";"),
            ("(Int)async throws(E)->(any P & ~Q)?", "{ }"), ("@Sendable @a.B(c) () -> Void", ", d"),
            ("[String: Set<[Int]>]", "= [:]"), ("A", " ? b : c"), ("some P", "\nvar b"),
            ("A<B>", ">"),
        ]
    )
    func typesEndWhereTheirGrammarDoes(type: String, rest: String) {
        let text = type + rest
        var cursor = SwiftCursor(SwiftSource(text))
        let start = cursor.offset
        cursor.skipType()
        #expect(cursor.text(from: start) == type)
    }

    @Test(
        arguments: [
            ("@objc(a:b:) func", "objc", "func"), ("@A.B<C<D>>(1)[", "A.B", "["),
            ("@objc (a)", "objc", "("), ("@`a` b", "`a`", "b"),
        ]
    )
    func attributesHaveTheirArguments(text: String, name: String, next: String) throws {
        let source = SwiftSource(text)
        var cursor = SwiftCursor(source)
        #expect(cursor.takeAttribute() == name)
        #expect(try source.text(#require(cursor.current)) == next)
    }

    @Test func operatorsAreReadSignBySign() {
        var cursor = SwiftCursor(SwiftSource("a>>=b -> c"))
        #expect(cursor.isAt(">", ahead: 1) && cursor.isAt("=", ahead: 3))
        #expect(cursor.word(ahead: 4) == "b")
        for _ in 0..<3 { cursor.advance() }
        #expect(cursor.take("=") && cursor.isAdjacent)
        cursor.advance()
        #expect(cursor.isAtArrow && !cursor.isAdjacent)
    }

    @Test func groupsWithoutAnEndEndWithTheText() {
        var cursor = SwiftCursor(SwiftSource("([a) b"))
        cursor.skipGroup()
        #expect(cursor.isAtEnd)
        #expect(cursor.text(from: 0) == "([a) b")
    }
}
