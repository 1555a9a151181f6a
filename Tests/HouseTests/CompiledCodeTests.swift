import Foundation
import Testing

/// The Swift that the README and the articles show is compiled: it stands, line by line, in a
/// snippet, in the stacks of the legacy client, or in the layouts of outsiders.
@Suite struct CompiledCodeTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func files(_ ending: String, in folder: String) -> [String] {
        let found = FileManager.default.enumerator(
            at: package.appendingPathComponent(folder),
            includingPropertiesForKeys: nil
        )
        let urls = (found?.allObjects as? [URL] ?? []).filter { $0.pathExtension == ending }
        return urls.map { String($0.path.dropFirst(package.path.count + 1)) }.sorted()
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
    }

    private static let pages = ["README.md"] + files("md", in: "Sources")

    private func compiled() throws -> [CodeLines] {
        let paths =
            Self.files("swift", in: "Snippets")
            + Self.files("swift", in: "Tests/LegacyClientTests/Stacks")
            + Self.files("swift", in: "Tests/Support/OutsideLayouts")
        return try paths.map { CodeLines.shown(of: try Self.text($0)) }
    }

    @Test(arguments: pages) func codeOnPagesIsCompiled(page: String) throws {
        let compiled = try compiled()
        for block in CodeLines.blocks(of: try Self.text(page)) {
            #expect(
                compiled.contains { $0.holds(block) },
                "\(page) shows this, and no compiled source has it as it stands:\n\(block)"
            )
        }
    }

    /// No version is tagged yet; when one is, the pages may ask for it.
    @Test(arguments: pages + ["CONTRIBUTING.md"] + files("md", in: "Docs"))
    func pagesAskForAPackageThatIsThere(page: String) throws {
        let requirements = try Self.text(page).components(separatedBy: ".package(").dropFirst()
        for requirement in requirements.map({ $0.prefix { $0 != ")" } }) {
            #expect(requirement.contains("branch:") || requirement.contains("path:"), "\(page)")
        }
    }

    @Test(arguments: ["README.md", "Sources/MergeStack/MergeStack.docc/MergeStack.md"])
    func quickStartIsTheWholeSnippet(page: String) throws {
        let block = try #require(CodeLines.blocks(of: try Self.text(page)).first)
        let snippet = CodeLines.shown(of: try Self.text("Snippets/QuickStart.swift"))
        #expect("\(block)" == "\(snippet)".trimmingCharacters(in: .newlines))
    }

    @Test func aLineThatIsNotCompiledIsFound() throws {
        let page = """
            Text.
              ```swift
              let one = 1
                  let two = 2
              ```
            """
        let block = try #require(CodeLines.blocks(of: page).first)
        let source = "func f() {\n    let one = 1\n        let two = 2\n}\n"
        #expect(CodeLines.shown(of: source).holds(block))
        #expect(!CodeLines.shown(of: source.replacingOccurrences(of: "2", with: "3")).holds(block))
        let hidden = "// snippet.hide\n" + source
        #expect(!CodeLines.shown(of: hidden).holds(block))
    }
}
