import SwiftSource
import Testing

/// Old code bases still build for iOS 13: what they import must, too, and what is built beside it
/// on a Mac, where the manifest asks for the same floor of all targets.
@Suite struct FloorTests {
    private static let folders = [
        "Sources/MergeStack", "Sources/MergeExchange", "Sources/Base/Markup",
        "Sources/Base/Threads",
        "Sources/Legacy/LegacyFinders", "Sources/Tools/AccessorGenerator",
        "Sources/Tools/BenchClasses", "Sources/Tools/ImportBench",
        "Sources/Tools/ManagedAccessorsTool",
        "Sources/Tools/ManagedClassesTool", "Sources/Tools/MergeBench", "Sources/Tools/MergeCtl",
        "Sources/Tools/ModelClasses", "Sources/Tools/Porting", "Sources/Tools/SeededRandom",
        "Sources/Tools/StoreInspection", "Sources/Tools/SwiftSource", "Tests/Base/MarkupTests",
        "Tests/Base/ThreadsTests", "Tests/HouseTests", "Tests/Legacy/LegacyFindersTests",
        "Tests/LegacyClientTests", "Tests/MergeExchangeTests", "Tests/MergeStackTests",
        "Tests/Random", "Tests/Support/OutsideLayouts", "Tests/Support/StackSupport",
        "Tests/Support/TestSupport", "Tests/Tools/AccessorGeneratorTests",
        "Tests/Tools/MergeBenchTests", "Tests/Tools/MergeCtlTests",
        "Tests/Tools/ModelClassesTests", "Tests/Tools/PortingTests",
        "Tests/Tools/SwiftSourceTests",
    ]

    @Test(arguments: folders)
    func nothingIsUsedThatIsNewerThanTheFloor(folder: String) throws {
        let sources = try Checkout.sources(folder).map { ($0, SwiftSource($1)) }
        let declared = Set(sources.flatMap { $1.declaredFunctions })
        for (path, source) in sources {
            let available = AvailableRanges(source)
            let found = NewerNames(source) { index, version in
                available.covers(index, version)
                    || source.word(index).map(declared.contains) == true
            }.found
            #expect(
                found.isEmpty,
                "\(folder)/\(path): use an older way, or one beside it under #available."
            )
        }
    }

    @Test func theManifestSaysTheFloor() throws {
        let manifest = try Checkout.text("Package.swift")
        #expect(manifest.contains("[.macOS(.v10_15), .iOS(.v13), .tvOS(.v13), .watchOS(.v6)]"))
        #expect(manifest.hasPrefix("// swift-tools-version: 6.1\n"))
    }

    @Test func newerNamesAreFound() {
        let source = SwiftSource(
            """
            // Duration in a comment.
            let time: Duration = .seconds(1)
            let url = URL(filePath: "Duration")
            let count = try context.performAndWait { 1 }
            try await context.perform { 2 }
            context.perform { 3 }
            context.performAndWait { 4 }
            let run = context.performAndWait
            func f(duration: Int, ranges: Int) {}
            text.replacing("a", with: "b")
            """
        )
        #expect(
            NewerNames(source).found == [
                "2: Duration needs iOS 16", "3: URL(filePath:) needs iOS 16",
                "4: performAndWait with a value needs iOS 15",
                "5: perform with a value needs iOS 15", "10: replacing needs iOS 16",
            ]
        )
    }
}

extension SwiftSource {
    /// The functions that are declared in the source; calls of them are no calls of the systems'.
    fileprivate var declaredFunctions: [String] {
        tokens.indices.compactMap { word($0) == "func" ? word($0 + 1) : nil }
    }
}
