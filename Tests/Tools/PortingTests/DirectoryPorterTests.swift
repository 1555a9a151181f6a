import Foundation
import Porting
import Testing

/// Directories on disk, and the compiler as the judge of what is written.
@Suite struct DirectoryPorterTests {
    private static let source = """
        import Foundation
        import UIKit

        @objc(LegacyPerson) public class Person: NSObject {
            @objc public dynamic var name = ""
            public @objc var count: Int { 1 }
            let key = #keyPath(Person.name)

            func start() {
                NotificationCenter.default.addObserver(
                    self,
                    selector: #selector(saved(_:)),
                    name: Notification.Name("saved"),
                    object: nil
                )
            }

            @objc private func saved(_ notification: NSNotification) {}
            deinit { NotificationCenter.default.removeObserver(self) }
        }

        @objcMembers final class Group: NSObject { @objc enum Kind: Int { case small } }
        """

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("PortingTests-\(UUID().uuidString)")
        let sources = folder.appendingPathComponent("Sources/App")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.source.utf8).write(to: sources.appendingPathComponent("Person.swift"))
        try body(folder)
    }

    private func compiles(_ file: URL) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc", "-typecheck", "-swift-version", "5", file.path]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test func rewrittenSourcesCompile() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("Sources/App/Person.swift")
            let compiledBefore = try compiles(file)
            #expect(!compiledBefore)
            let found = try DirectoryPorter(folder).run(writes: true)
            #expect(found.map(\.path) == ["Sources/App/Person.swift"])
            #expect(found.flatMap(\.findings).allSatisfy { $0.kind == .rewritten })
            let compilesNow = try compiles(file)
            #expect(compilesNow)
            let again = try DirectoryPorter(folder).run(writes: true)
            #expect(again.isEmpty)
        }
    }

    @Test func listingWritesNothing() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("Sources/App/Person.swift")
            let found = try DirectoryPorter(folder).run(writes: false)
            #expect(!found.isEmpty)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text == Self.source)
        }
    }

    @Test func builtFilesAndManifestsAreLeftOut() throws {
        try withFolder { folder in
            for name in [".build/A.swift", "Pods/B.swift", "Package.swift"] {
                let url = folder.appendingPathComponent(name)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data("@objc class A {}".utf8).write(to: url)
            }
            let found = try DirectoryPorter(folder).run(writes: false)
            #expect(found.map(\.path) == ["Sources/App/Person.swift"])
        }
    }

    @Test func theManifestIsAskedForLegacyFoundation() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("Sources/App/Pool.swift")
            try Data("import Foundation\nlet x = autoreleasepool { 1 }\n".utf8).write(to: file)
            let manifest = folder.appendingPathComponent("Package.swift")
            try Data("// no products".utf8).write(to: manifest)
            let found = try DirectoryPorter(folder).run(writes: false)
            #expect(found.last?.path == "Package.swift")
            #expect(found.last?.findings.map(\.kind) == [.left])
            try Data(".product(name: \"LegacyFoundation\")".utf8).write(to: manifest)
            let again = try DirectoryPorter(folder).run(writes: false)
            #expect(again.map(\.path).contains("Package.swift") == false)
        }
    }

    @Test func sourcesOutsideOfPackagesNameNoManifest() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("Sources/App/Pool.swift")
            try Data("import Foundation\nlet x = autoreleasepool { 1 }\n".utf8).write(to: file)
            let found = try DirectoryPorter(folder).run(writes: false)
            #expect(found.last?.path == "")
            #expect(found.last?.findings.map(\.kind) == [.left])
        }
    }

    @Test func missingDirectoriesAreNamed() {
        let error = #expect(throws: PortingError.self) {
            try DirectoryPorter(URL(fileURLWithPath: "/nowhere/at/all")).run(writes: false)
        }
        #expect(
            error?.errorDescription
                == "There is no directory or file /nowhere/at/all. Check the path."
        )
    }
}
