import Foundation
import Testing

/// Tests lie as the sources do: a folder of tests is named after the room that it tests.
@Suite struct TestFolderTests {
    /// Folders of tests, and the sources that they test.
    private static let targets = [
        "CoreDataTests": "CoreData", "CoreDataConformanceTests": "CoreData",
        "MergeStackTests": "MergeStack", "MergeExchangeTests": "MergeExchange",
    ]

    @Test(arguments: targets.keys.sorted())
    func foldersOfTestsAreNamedAfterRooms(tests: String) throws {
        let sources = try #require(Self.targets[tests])
        let rooms = try Set(Checkout.folders(in: "Sources/\(sources)"))
        for folder in try Checkout.folders(in: "Tests/\(tests)") where !rooms.contains(folder) {
            Issue.record(
                """
                Tests/\(tests)/\(folder) is named after no folder of Sources/\(sources): name it \
                after the room that its tests are about.
                """
            )
        }
    }

    @Test(arguments: ["Base", "Legacy", "Tools"])
    func testsOfSmallTargetsLieInTheGroupOfTheirTarget(group: String) throws {
        let targets = try Set(Checkout.folders(in: "Sources/\(group)"))
        for folder in try Checkout.folders(in: "Tests") where folder.hasSuffix("Tests") {
            let target = String(folder.dropLast("Tests".count))
            #expect(!targets.contains(target), "Tests/\(folder)")
        }
        for folder in try Checkout.folders(in: "Tests/\(group)") where folder.hasSuffix("Tests") {
            let target = String(folder.dropLast("Tests".count))
            let tested = targets.filter { target.hasPrefix($0) || $0.hasPrefix(target) }
            #expect(!tested.isEmpty, "Tests/\(group)/\(folder)")
        }
    }
}
