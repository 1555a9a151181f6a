import Foundation
import Testing

@testable import AccessorGenerator

/// Which classes get names of the module's own.
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
            ("", []),
        ]
    )
    func classesOfFoundationToo(source: String, expected: [String]) throws {
        #expect(try aliases(source) == expected)
    }
}
