import Foundation
import Testing

@testable import AccessorGenerator

/// Which classes and functions get names of the module's own.
@Suite struct TypeNameTests {
    private func aliases(_ source: String) throws -> [String] {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("TypeNameTests-\(UUID().uuidString).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let module = try ModuleSources(name: "Model", paths: [file.path])
        return TypeNameWriter(module: module).text().split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("//") }
    }

    @Test(
        arguments: [
            (
                "public var a: NSExpression { b }",
                ["import CoreData", "public typealias NSExpression = CoreData.NSExpression"]
            ),
            (
                "public import CoreData\nlet p: NSComparisonPredicate",
                [
                    "public import CoreData",
                    "public typealias NSComparisonPredicate = CoreData.NSComparisonPredicate",
                ]
            ),
            ("let description = NSExpressionDescription()", []),
            ("typealias NSExpression = CoreData.NSExpression\nlet e: NSExpression", []),
            (
                "let type = NSClassFromString(name)",
                [
                    "import CoreData", "@usableFromInline",
                    "nonisolated func NSClassFromString(_ aClassName: String) -> AnyClass? {",
                    "    _managedClassFromString(aClassName)", "}",
                ]
            ),
            ("func NSClassFromString(_ name: String) -> AnyClass? { nil }", []),
            ("", []),
        ]
    )
    func classesOfFoundationToo(source: String, expected: [String]) throws {
        #expect(try aliases(source) == expected)
    }
}
