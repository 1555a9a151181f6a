import Foundation
import Testing

@testable import AccessorGenerator

/// Which properties are listed for key-value access.
@Suite struct KeyedPropertyTests {
    /// What stands between a call, `list.add(`, and the end of its line.
    private func listed(
        _ sources: String...,
        library: String = "",
        call: String = "list.add("
    ) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("KeyedPropertyTests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ text: String, _ name: String) throws -> String {
            let file = folder.appendingPathComponent(name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return file.path
        }
        let paths = try sources.enumerated().map { try write($1, "File\($0).swift") }
        let writer = KeyedPropertyWriter(
            module: try ModuleSources(name: "Model", paths: paths),
            dependencies: [
                try ModuleSources(name: "Library", paths: [try write(library, "Library.swift")])
            ]
        )
        return writer.text().split(separator: "\n").compactMap { line in
            guard let range = line.range(of: call) else { return nil }
            return String(line.suffix(from: range.upperBound).dropLast())
        }
    }

    @Test func namesInObjectiveCAreListed() throws {
        let source = """
            #if canImport(ObjectiveC)
            @objc(OldNote)
            #endif
            public final class Note: NSManagedObject {}
            @objc(Hidden) private class Hidden: NSManagedObject {}
            @objc(Other) class Other: NSObject {}
            @objc class Plain: NSManagedObject {}
            """
        #expect(try listed(source, call: "list.addName(") == ["\"OldNote\", of: Note.self"])
    }

    @Test func methodsOfMigrationPoliciesAreListed() throws {
        let source = """
            class Policy: NSEntityMigrationPolicy {
                #if canImport(ObjectiveC)
                @objc
                #endif
                func initial(of text: String) -> String { "" }
                @objc(joined:with:) func join(_ a: String, b: String?) throws -> Any? { nil }
                @objc func now() -> Date { Date() }
                @objc private func hidden() -> Int { 0 }
                @objc func returnsNothing(_ text: String) {}
                func isOnlyInSwift() -> Int { 0 }
                @objc static func ofTheClass() -> Int { 0 }
                @objc override func begin(_ mapping: NSEntityMapping, with: NSMigrationManager) throws {}
            }
            @objc extension Policy { func scaled(value: Double, by: Int) -> NSNumber { 0 } }
            @objcMembers final class Other: Policy {
                func later() async -> Int { 0 }
                func swapped(_ value: inout Int) -> Int { 0 }
                func generic<T>(_ value: T) -> Int { 0 }
                func last() -> Int { 0 }
            }
            final class View: NSObject { @objc func title(of text: String) -> String { text } }
            """
        let policy = "of: Policy.self) { policy,"
        #expect(
            try listed(source, call: "list.addMethod(") == [
                "\"initialOf:\", \(policy) arguments in policy.initial(of: try arguments.value(0)) ",
                "\"joined:with:\", \(policy) arguments in "
                    + "try policy.join(try arguments.value(0), b: try arguments.value(1)) ",
                "\"now\", \(policy) _ in policy.now() ",
                "\"scaledWithValue:by:\", \(policy) arguments in "
                    + "policy.scaled(value: try arguments.value(0), by: try arguments.value(1)) ",
                "\"last\", of: Other.self) { policy, _ in policy.last() ",
            ]
        )
    }

    @Test func classesWithoutInitializersAreListed() throws {
        let source = """
            class A: NSManagedObject {
                func make() { init() }
                struct Key { init() {} }
            }
            @objc(B) @objcMembers public class B: A { @NSManaged var b: Int }
            class WithInitializer: NSManagedObject {
                #if DEBUG
                override public init(entity: NSEntityDescription, insertInto: NSManagedObjectContext?) {
                    super.init(entity: entity, insertInto: insertInto)
                }
                #endif
            }
            class WithConvenience: NSManagedObject { convenience init?(_ title: String) { nil } }
            @Remembered class ByMacro: NSManagedObject {}
            class ByMacroInside: NSManagedObject { #makeInitializer }
            extension A { convenience init(title: String) { self.init() } }
            private class Hidden: NSManagedObject {}
            @available(*, deprecated) class Old: NSManagedObject {}
            class Other {}
            """
        let listed = try listed(source, call: "list.addPlain(")
        #expect(listed == ["A.self", "B.self"])
    }

    @Test(
        arguments: [
            ("var a: Int { 1 }", "\"a\", \\C.a, as: .inferred"),
            (
                "#if canImport(ObjectiveC)\n@objc\n#endif\nvar a: Int { 1 }",
                "\"a\", \\C.a, as: .exposed"
            ),
            ("@objc(b) var a: Int { 1 }", "\"b\", \\C.a, as: .exposed"),
            ("dynamic public var a = 1", "\"a\", \\C.a, as: .exposed"),
            ("lazy var a: [Int] = { [1] }()", "\"a\", \\C.a, as: .inferred"),
            ("var `default`: Int { 1 }", "\"default\", \\C.`default`, as: .inferred"),
            ("var a: Any? { value(forKey: \"a\") }", "\"a\", \\C.a, as: .added"),
            ("var a: Any? { value(forKey: Key.a) }", "\"a\", \\C.a, as: .added"),
            ("var a: String { \"\\(value(forKey: \"a\"))\" }", "\"a\", \\C.a, as: .added"),
            ("var a: Any? { value(forKey: \"b\") }", "\"a\", \\C.a, as: .inferred"),
            ("var a: Any? { primitiveValue(forKey: \"a\") }", "\"a\", \\C.a, as: .inferred"),
        ]
    )
    func instanceVariablesAreListed(source: String, expected: String) throws {
        let text = "class C: NSManagedObject {\n\(source)\nfunc f() { var x = 1 }\n}"
        #expect(try listed(text) == [expected])
    }

    @Test(
        arguments: [
            "private var a = 1", "static var a = 1", "class var a: Int { 1 }", "let a = 1",
            "@NSManaged var a: Int", "var a: Int { get throws { 1 } }", "@MainActor var a = 1",
            "@available(*, unavailable) var a: Int { 1 }",
        ]
    )
    func othersAreNot(source: String) throws {
        #expect(try listed("class C: NSManagedObject {\n\(source)\n}").isEmpty)
    }

    @Test(
        arguments: [
            "private class C: NSManagedObject { var a = 1 }", "class C: NSObject { var a = 1 }",
            "class C<T>: NSManagedObject { var a = 1 }",
            "private extension C { var a: Int { 1 } }\nclass C: NSManagedObject {}",
            "class C { class D: NSManagedObject { @NSManaged var b: Int }\nvar a = 1 }",
        ]
    )
    func norAreThoseOfOtherClasses(source: String) throws {
        #expect(try listed(source).isEmpty)
    }

    @Test func classesAreFoundAcrossFilesAndModules() throws {
        let found = try listed(
            "extension Base { var a: Int { 1 } }",
            "final class C: Model.Middle, P { var b: Int { 1 } }",
            "class Middle: Base {}",
            library: "open class Base: NSManagedObject {}"
        )
        #expect(found == ["\"a\", \\Base.a, as: .inferred", "\"b\", \\C.b, as: .inferred"])
    }
}
