import Foundation
import Porting
import Testing

/// What one file declares for other platforms only, and others use.
@Suite struct HiddenNameTests {
    /// The findings that are left, as `file:line`, and the files as they are written.
    private func port(
        _ files: [String: String]
    ) throws -> (left: [String], files: [String: String]) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("HiddenNameTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        let found = try DirectoryPorter(folder).run(writes: true)
        let left = found.flatMap { file in
            file.findings.filter { $0.kind == .left }.map { "\(file.path):\($0.line)" }
        }
        var written: [String: String] = [:]
        for name in files.keys {
            let url = folder.appendingPathComponent(name)
            written[name] = try String(contentsOf: url, encoding: .utf8)
        }
        return (left, written)
    }

    @Test func aTypeWithoutALinuxBranchIsNamedWhereItIsUsed() throws {
        let platforms = """
            import Foundation
            #if os(iOS)
            typealias Image = UIImage
            #elseif os(macOS)
            typealias Image = NSImage
            #endif
            """
        let use = "import Foundation\nstruct Note {\n    var image: Image?\n}\n"
        let left = try port(["A.swift": platforms, "B.swift": use]).left
        #expect(left == ["B.swift:3"])
        let complete = platforms.replacingOccurrences(
            of: "#endif",
            with: "#else\ntypealias Image = Data\n#endif"
        )
        #expect(try port(["A.swift": complete, "B.swift": use]).left.isEmpty)
    }

    @Test func callersOfAMemberThatGoesAreNamed() throws {
        let note = """
            import UIKit
            class Note: NSObject {
                var title = ""
                func color() -> UIColor { .red }
            }
            """
        let list = """
            import Foundation
            class List {
                func text(_ note: Note) -> String { note.title }
                func all(_ note: Note) -> Any { note.color() }
            }
            """
        let ported = try port(["List.swift": list, "Note.swift": note])
        #expect(ported.left == ["List.swift:4"])
        #expect(ported.files["List.swift"] == list)
    }

    @Test func whatInheritsFromATypeThatGoesGoesToo() throws {
        let base = "import UIKit\nclass Base: UIViewController {}\n"
        let middle = "import Foundation\nclass Middle: Base {}\n"
        let last = "import Foundation\nclass Last: Middle {}\nclass Own {}\n"
        let ported = try port(["A.swift": last, "B.swift": middle, "C.swift": base])
        #expect(ported.left.isEmpty)
        #expect(
            ported.files["A.swift"]
                == "import Foundation\n#if canImport(UIKit)\nclass Last: Middle {}\n#endif\n"
                + "class Own {}\n"
        )
    }

    @Test func variablesWithoutALinuxBranchTakeTheFirst() throws {
        let source = """
            import Foundation
            func folder() -> String {
                #if os(iOS) || os(tvOS)
                let name = "tmp"
                #elseif os(macOS)
                let name = "T"
                #endif
                return name
            }
            """
        let ported = try port(["A.swift": source])
        #expect(ported.left.isEmpty)
        let lines = ported.files["A.swift"]?.split(separator: "\n")
        #expect(lines?.contains("    #if os(iOS) || os(tvOS) || os(Linux)") == true)
        // Branches that declare different names are no choice.
        let other = source.replacingOccurrences(of: "let name = \"T\"", with: "let other = 1")
        #expect(try port(["A.swift": other]).left == ["A.swift:8"])
        let single = source.replacingOccurrences(
            of: "    #elseif os(macOS)\n    let name = \"T\"\n",
            with: ""
        )
        #expect(try port(["A.swift": single]).left == ["A.swift:6"])
    }

    @Test func importsAreNoUses() throws {
        let hidden = "import Foundation\n#if os(iOS)\nenum UIKit {}\n#endif\n"
        let use = "#if canImport(UIKit)\nimport UIKit\n#endif\nimport Foundation\n"
        #expect(try port(["A.swift": hidden, "B.swift": use]).left.isEmpty)
    }

    @Test func membersOfOtherTypesDoNotCount() throws {
        let hidden = """
            import Foundation
            #if canImport(UIKit)
            extension UIView {
                var isEmpty: Bool { true }
            }
            #endif
            """
        let use = "import Foundation\nlet a = [1].isEmpty\n"
        #expect(try port(["A.swift": hidden, "B.swift": use]).left.isEmpty)
    }
}
