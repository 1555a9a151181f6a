import Testing

@testable import AccessorGenerator

@Suite struct ParserTests {
    private func parse(_ text: String) throws -> [Declaration] {
        let file = try DeclarationParser.parse(path: "/f/File.swift", bytes: Array(text.utf8))
        files.append(file)
        return file.allDeclarations
    }
    private final class Files { var list: [ParsedFile] = [] }
    private let kept = Files()
    /// Declarations don't hold their file.
    private var files: [ParsedFile] {
        get { kept.list }
        nonmutating set { kept.list = newValue }
    }

    private func properties(_ text: String) throws -> [String] {
        try parse(text).flatMap { declaration in
            declaration.properties.map { "\(declaration.qualifiedName).\($0.name): \($0.type)" }
        }
    }

    @Test(
        arguments: [
            ("@NSManaged var a: String?", "a: String?"),
            ("@NSManaged public var a: Set<Tag>?", "a: Set<Tag>?"),
            (
                "@NSManaged public private(set) dynamic var a : [String: [Int?]]",
                "a: [String: [Int?]]"
            ),
            ("@NSManaged @available(iOS 9, *) var a: Foundation.Date", "a: Foundation.Date"),
            ("@objc(b) /* c */ @NSManaged\n  // d\n  open var a: (any P & Q)?", "a: (any P & Q)?"),
            ("@NSManaged var `class`: NSObject & NSCoding", "class: NSObject & NSCoding"),
            ("@NSManaged var a: String!; func f() {}", "a: String!"),
            ("@NSManaged var a: Box<(Int) -> Void>.Inner?", "a: Box<(Int) -> Void>.Inner?"),
            ("@NSManaged var a: any P\n var b = 1", "a: any P"),
        ]
    )
    func propertiesAreFound(source: String, expected: String) throws {
        #expect(try properties("class C: D { \(source) }") == ["C.\(expected)"])
        #expect(try properties("extension C {\n\(source)\n}") == ["C.\(expected)"])
    }

    @Test func severalNamesShareAType() throws {
        #expect(
            try properties("class C {\n @NSManaged var a, b: Int16, c: Bool\n}")
                == ["C.a: Int16", "C.b: Int16", "C.c: Bool"]
        )
    }

    /// Braces and quotes that are none.
    @Test(
        arguments: [
            "let x = \"}\\\"}\"", "let x = \"\\(f(\"}\"))}\"", "let x = #\"}\"\\}\"#",
            "let x = \"\"\"\n } \" \"\" \\(\"}\")\n \"\"\"", "let x = /}\"/", "let x = #/ } /#",
            "/* } /* } */ } */", "// }", "func f() { if a / b < c / d { \"}\" } }",
            "var v: Int { get { 1 } set { } }", "let c = { (a: Int) -> Int in a }(1)",
            "init?(x: [Int] = [1]) where T: P { }",
            "#if A\nfunc g() {}\n#else\nfunc g() {}\n#endif",
            "subscript(a: Int) -> Int { a }", "case a, b(Int)\n  indirect case c",
            "static let `func` = 1",
            "class var y: Int { 2 }", "lazy var z = Foo()\n    .bar { $0 }\n    .baz()",
        ]
    )
    func whatStandsBetweenIsSkipped(source: String) throws {
        let text = """
            class C {
                @NSManaged var a: Int
                \(source)
                @NSManaged var b: Int
                enum Inner { struct S {} }
            }
            final class E: C { @NSManaged var d: Int }
            """
        #expect(try properties(text) == ["C.a: Int", "C.b: Int", "E.d: Int"])
        #expect(try parse(text).map(\.qualifiedName) == ["C", "C.Inner", "C.Inner.S", "E"])
    }

    @Test func headersAreRead() throws {
        let text = """
            @available(iOS 1, *) public final class C<T: P, U>: Base<T>, @unchecked Sendable where U: Q {}
            extension A.B: P where T == Int {}
            typealias F<T> = Set<T>?
            """
        let found = try parse(text)
        #expect(found[0].genericParameters == "<T: P, U>")
        #expect(found[0].inherited == ["Base<T>", "@unchecked Sendable"])
        #expect(found[0].whereClause == "where U: Q")
        #expect(found[0].prefix.access == .public)
        #expect(found[0].prefix.availability == ["@available(iOS 1, *)"])
        #expect(found[1].name == "A.B")
        #expect(found[1].whereClause == "where T == Int")
        #expect(found[2].aliasedType == "Set<T>?")
    }

    @Test func conditionsAreKept() throws {
        let text = """
            #if A
            class C {
                #if os(Linux) && B
                @NSManaged var a: Int
                #elseif D
                @NSManaged var a: Bool
                #else
                @NSManaged var a: String
                #endif
            }
            #endif
            """
        let found = try parse(text)
        #expect(found[0].conditions == ["(A)"])
        #expect(
            found[0].properties.map(\.conditions) == [
                ["(os(Linux) && B)"], ["!(os(Linux) && B) && (D)"],
                ["!(os(Linux) && B) && !(D)"],
            ]
        )
    }

    @Test func aBodyMayEndBehindADirective() throws {
        let text = """
            class A {
                #if os(Linux)
                @NSManaged var a: Int
                #endif
            }
            class B { @NSManaged var b: Int }
            """
        let found = try parse(text)
        #expect(found.map(\.qualifiedName) == ["A", "B"])
        #expect(found.map { $0.properties.map(\.name) } == [["a"], ["b"]])
    }

    /// The selector tells what a function does, also where only Apple's platforms see it.
    @Test(
        arguments: [
            ("@objc(addItemsObject:) @NSManaged func put(_ item: Item)", "addItemsObject"),
            ("// @objc(addItemsObject:)\n@NSManaged func put(_ item: Item)", "addItemsObject"),
            (
                "#if canImport(ObjectiveC)\n@objc(addItemsObject:)\n#endif\n@NSManaged func put(_ i: Item)",
                "addItemsObject"
            ),
            ("@NSManaged func addToItems(_ items: Set<Item>)", "addToItems"),
            ("@NSManaged func insertIntoItems(_ item: Item, at index: Int)", "insertIntoItems:at"),
            ("@NSManaged func removeFromItems(at indexes: NSIndexSet)", "removeFromItems:at"),
            (
                "@objc(insertObject:inItemsAtIndex:) @NSManaged func put(_ i: Item, at x: Int)",
                "insertObject:inItemsAtIndex"
            ),
            ("@NSManaged func primitiveName() -> String?", "primitiveName"),
        ]
    )
    func functionsHaveKeys(source: String, key: String) throws {
        let found = try parse("class C {\n\(source)\n}")
        let function = try #require(found[0].functions.first)
        #expect(try AccessorNaming.key(of: function, in: found[0]) == key)
    }
}
