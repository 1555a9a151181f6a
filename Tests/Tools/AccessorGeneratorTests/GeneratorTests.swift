import AccessorGenerator
import Foundation
import Testing

#if !os(macOS)
/// Runs the generator with the compiler, over sources in a folder of their own.
@Suite struct GeneratorTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("GeneratorTests-\(UUID().uuidString)", isDirectory: true)

    private func write(_ text: String, _ path: String) throws -> String {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    private func options(_ sources: [String], _ dependencies: [String] = []) throws
        -> GeneratorOptions
    {
        var options = GeneratorOptions()
        options.moduleName = "Model"
        options.workFolder = folder.appendingPathComponent("Work").path
        options.compiler = try compiler()
        for (index, source) in sources.enumerated() {
            let path = try write(source, "Sources/File\(index).swift")
            options.sources.append(.init(path: path, output: "\(path).out"))
        }
        for (index, source) in dependencies.enumerated() {
            let path = try write(source, "Library\(index)/Library.swift")
            let url = URL(fileURLWithPath: path).deletingLastPathComponent()
            options.dependencies.append(("Library\(index)", url.path))
        }
        return options
    }

    private func compiler() throws -> String {
        let paths = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let candidates = paths.split(separator: ":").map { "\($0)/swiftc" }
        return try #require(candidates.first(where: FileManager.default.isExecutableFile))
    }

    private func generate(_ sources: String..., dependencies: [String] = []) throws -> [String] {
        defer { try? FileManager.default.removeItem(at: folder) }
        let options = try options(sources, dependencies)
        try AccessorGenerator(options).run()
        return try options.sources.compactMap(\.output).map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
    }

    /// The names that the compiler gave in an experiment.
    @Test func symbolsAreTheCompilers() throws {
        let text = try generate(
            """
            import CoreData
            class Person: NSManagedObject {
                @NSManaged var name: String?
                @NSManaged var tags: Set<Tag>?
                @NSManaged var kind: Kind
                @NSManaged var parent: Person?
                @NSManaged func addToTags(_ value: Tag)
                enum Kind: Int16 { case a }
            }
            """,
            "import CoreData\nclass Tag: NSManagedObject {}"
        )[0]
        for symbol in [
            "$s5Model6PersonC4nameSSSgvg", "$s5Model6PersonC4nameSSSgvs",
            "$s5Model6PersonC4tagsShyAA3TagCGSgvg", "$s5Model6PersonC4kindAC4KindOvg",
            "$s5Model6PersonC6parentACSgvs", "$s5Model6PersonC9addToTagsyyAA3TagCF",
        ] {
            #expect(text.contains("@_silgen_name(\"\(symbol)\")"), "\(symbol)")
        }
    }

    @Test func typesOfOtherModulesAreTakenFromTheirSources() throws {
        let text = try generate(
            """
            import CoreData
            import Library0
            class Person: Base {
                @NSManaged var level: Level
                @NSManaged var place: Place.Kind?
                @NSManaged var tags: Tags
                @NSManaged var raw: Place.Kind.RawValue
                @NSManaged var hidden: Data?
            }
            """,
            dependencies: [
                """
                import CoreData
                import Library1
                open class Base: Root {}
                public struct Level: RawRepresentable { public var rawValue: Int16 }
                public enum Place { public enum Kind: String { case a } }
                public typealias Tags = [String]
                struct Data {}
                """,
                "import CoreData\nopen class Root: NSManagedObject {}",
            ]
        )[0]
        for symbol in [
            "$s5Model6PersonC5level8Library05LevelVvg",
            "$s5Model6PersonC5place8Library05PlaceO4KindOSgvg", "$s5Model6PersonC4tagsSaySSGvg",
            "$s5Model6PersonC3rawSSvg",
        ] {
            #expect(text.contains("@_silgen_name(\"\(symbol)\")"), "\(symbol)")
        }
        #expect(!text.contains("Library04Data"))
    }

    /// Which of several types of one name is meant is not told by the name alone.
    @Test func namesThatLeadInACircleAreFollowedOnce() throws {
        let text = try generate(
            """
            import CoreData
            class Outer {
                class Item: Middle.Item {}
                private class Hidden: Middle.Hidden {}
                class User: NSManagedObject { @NSManaged private var hidden: Hidden? }
            }
            class Middle {
                class Item: Other.Item {}
                class Hidden: Other.Hidden {}
            }
            class Other {
                class Item: Base.Item { @NSManaged override var name: String? }
                class Hidden: Base.Hidden {}
            }
            class Base {
                class Item: Root.Item { @NSManaged var name: String? }
                class Hidden: Root.Item {}
            }
            class Root { class Item: NSManagedObject {} }
            struct Box {}
            extension Box { class Box: NSManagedObject { @NSManaged var note: String? } }
            """
        )[0]
        for words in ["5OtherC4ItemC4nameSSSgvg", "4BaseC4ItemC4nameSSSgvg", "C4noteSSSgvg"] {
            #expect(text.contains(words), "\(words)")
        }
        #expect(text.contains("hidden") && !text.contains("AnyObject"))
    }

    /// An extension of a nested class does not see its neighbours.
    @Test func neighboursOfANestedClassAreNamedInFull() throws {
        let text = try generate(
            """
            import CoreData
            class Outer {
                enum Kind: Int16 { case a }
                class Parent: NSManagedObject {
                    @NSManaged var children: Set<Child>
                    @NSManaged var kind: Kind
                    enum Kind: Int16 { case a }
                }
                class Child: NSManagedObject { @NSManaged var parent: Parent? }
            }
            """
        )[0]
        #expect(text.contains("-> Set<Outer.Child>") && text.contains("-> Outer.Parent?"))
        #expect(text.contains("-> Kind "))
    }

    @Test func overridesOfManagedPropertiesHaveAccessorsOfTheirOwn() throws {
        let text = try generate(
            """
            import CoreData
            class Person: NSManagedObject { @NSManaged var name: String? }
            class Manager: Person { @NSManaged override var name: String? }
            """
        )[0]
        #expect(text.contains("$s5Model6PersonC4nameSSSgvg"))
        #expect(text.contains("$s5Model7ManagerC4nameSSSgvg"))
    }

    @Test func bothBranchesOfDebugAreCovered() throws {
        let text = try generate(
            """
            import CoreData
            class Person: NSManagedObject {
                #if DEBUG
                @NSManaged var a: Int16
                #else
                @NSManaged var a: Int32
                #endif
                #if os(Windows)
                @NSManaged var b: NoSuchType
                #endif
            }
            """
        )[0]
        #expect(text.contains("#if (DEBUG)"))
        #expect(text.contains("$s5Model6PersonC1as5Int16Vvg"))
        #expect(text.contains("#if !(DEBUG)"))
        #expect(text.contains("$s5Model6PersonC1as5Int32Vvg"))
        #expect(!text.contains("NoSuchType"))
    }

    @Test(
        arguments: [
            (
                "class C: NSManagedObject {\n  @NSManaged var a: NoSuchType\n}", "File0.swift:3:",
                "NoSuchType"
            ),
            (
                "class C: NSManagedObject {\n  @NSManaged var a\n}", "File0.swift:3:18: error:",
                "no type"
            ),
            (
                "func f() {\n class C: NSManagedObject {\n  @NSManaged var a: Int\n }\n}",
                "File0.swift:4:3: error:", "within a function"
            ),
            (
                "class C: NSManagedObject {\n  @NSManaged func lookUp(_ name: String)\n}",
                "File0.swift:3:19: error:", "lookUp"
            ),
            (
                "class C: NSManagedObject {\n @NSManaged private var a: K\n private enum K: Int16 { case a }\n}",
                "File0.swift:3:25: error:", "make it internal"
            ),
            ("class C {\n let a = \"\n}", "File0.swift:3:10: error:", "unterminated string"),
            (
                "class C: D {\n @NSManaged private var a: H?\n}\nclass D: C {}\n"
                    + "private class H: I {}\nprivate class I: H {}",
                "File0.swift:", "inherits from itself"
            ),
            (
                "class C: NSManagedObject {\n @NSManaged private var a: Item\n"
                    + " private typealias Item = [Item]\n}",
                "File0.swift:4:", "references itself"
            ),
        ]
    )
    func whatCannotBeHandledIsAnErrorAtItsPlace(
        source: String,
        place: String,
        words: String
    ) throws {
        let error = try #require(throws: (any Error).self) {
            _ = try generate("import CoreData\n\(source)\n// @NSManaged")
        }
        let text = "\(error)"
        #expect(text.contains(place), "\(text)")
        #expect(text.contains(words), "\(text)")
    }

    /// Files that stay the same keep their time, so that nothing is compiled again.
    @Test func aSecondRunLeavesTheFilesAlone() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let options = try options([
            "import CoreData\nclass C: NSManagedObject { @NSManaged var a: Int }"
        ])
        try AccessorGenerator(options).run()
        let output = try #require(options.sources[0].output)
        func time() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: output)[.modificationDate] as? Date
        }
        let before = try time()
        var second = options
        second.compiler = "/no/such/compiler"
        #expect(throws: (any Error).self) { try AccessorGenerator(second).run() }
        try AccessorGenerator(options).run()
        #expect(try time() == before)
    }
}
#endif
