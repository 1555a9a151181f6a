import Foundation
import SwiftSource
import Testing

/// The conformance tests are written so that they build against Apple's framework as well, at the
/// package's floor: so they say what Apple's clients may rely on.
@Suite struct ConformanceSourceTests {
    private static let table = "../shared/coredata-api.tsv"
    private static let isTableThere = (try? Checkout.text(table)) != nil

    @Test(arguments: ["Tests/CoreDataConformanceTests", "Tests/Support/TestSupport"])
    func conformanceTestsUseNothingButApplesInterface(folder: String) throws {
        let sources = try Checkout.sources(folder)
        #expect(!sources.isEmpty)
        for (path, text) in sources {
            let found = AppleOnly(SwiftSource(text)).found
            #expect(
                found.isEmpty,
                """
                \(folder)/\(path): use an older way, or @available on the test; what is this \
                project's own is tested in Tests/CoreDataTests.
                """
            )
        }
    }

    @Test(arguments: [
        ("import MergeStack", "1: import of MergeStack"),
        ("import FoundationXML", "1: import of FoundationXML"),
        ("@testable import CoreData", "1: import of CoreData with an attribute"),
        ("let a = model.versionChecksum", "1: versionChecksum needs iOS 17"),
        ("let a = try context.performAndWait { 1 }", "1: performAndWait with a value needs iOS 15"),
        (
            "_ = await box.performBackgroundTask { 1 }",
            "1: performBackgroundTask with a value needs iOS 15"
        ),
        (
            "try c.addPersistentStore(type: .sqlite, at: url)",
            "1: addPersistentStore(type:) needs iOS 15"
        ),
        (
            "c.migratePersistentStore(s, to: f(type: 1), type: .binary)",
            "1: migratePersistentStore(type:) needs iOS 15"
        ),
        ("attribute.type = .string", "1: type of an attribute needs iOS 15"),
        (
            "let a = NSPersistentContainer.defaultDirectoryURL",
            "1: defaultDirectoryURL needs iOS 15"
        ),
        (
            "NSSortDescriptor(SortDescriptor(\\.name))",
            "1: NSSortDescriptor(SortDescriptor) needs iOS 15"
        ),
        ("let limit: Duration = .seconds(1)", "1: Duration needs iOS 16"),
        ("class A: B { override var currentModel: C { d } }", "1: currentModel needs iOS 17"),
        (
            "context.mergePolicy = NSErrorMergePolicy",
            "1: NSErrorMergePolicy is a variable of Apple's: use NSMergePolicy"
        ),
        ("class Held: KeyValueCoding {}", "1: KeyValueCoding is a name of this project's"),
        ("NSManagedObjectModel(readingFrom: url)", "1: readingFrom is a name of this project's"),
        (
            "var a: NSDiffableDataSourceSnapshotReference",
            "1: NSDiffableDataSourceSnapshotReference is not in Apple's Core Data"
        ),
        (
            "@available(macOS 14, iOS 15, *) func f() {}",
            "1: macOS 14, iOS 15, * is no list of systems of one year"
        ),
    ])
    func faultsAreFound(text: String, fault: String) {
        let found = AppleOnly(SwiftSource(text)).found
        #expect(found.contains(fault), "\(found)")
    }

    @Test func whatIsAvailableIsNotAFault() {
        let source = SwiftSource(
            """
            import CoreData
            #if canImport(FoundationXML)
            import FoundationXML
            #endif

            @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
            @Test(arguments: [1]) func sums(_ check: () -> Void = {}) {
                _ = model.versionChecksum
                attribute.type = .string
            }
            func old() {
                if #available(macOS 12, iOS 15, tvOS 15, watchOS 8, *) { a.type = .uuid }
                context.performAndWait { model.save() }
                description.type = NSSQLiteStoreType
                try c.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: u)
                _ = NSPersistentContainer.defaultDirectoryURL()
                request.resultType = .dictionaryResultType
            }
            """
        )
        #expect(AppleOnly(source).found.isEmpty)
    }

    @Test func availabilityIsThatOfTheNewestName() {
        let source = SwiftSource(
            """
            @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
            func sums() { _ = model.versionChecksum }
            func after() { attribute.type = .string }
            """
        )
        #expect(
            AppleOnly(source).found == [
                "2: versionChecksum needs iOS 17", "3: type of an attribute needs iOS 15",
            ]
        )
    }

    @Test(.enabled(if: isTableThere, "needs shared/coredata-api.tsv"))
    func theListOfOurNamesIsComplete() throws {
        let apples = Set(
            SwiftSource(try Checkout.text(Self.table)).wordsOfTable
        )
        var missing: [String] = []
        for (path, text) in try Checkout.sources("Sources/CoreData") {
            for name in SwiftSource(text).publicNames
            where !apples.contains(name) && !OurNames.all.contains(name)
                && !OurNames.foundation.contains(name) && !OurNames.ofInterfaces.contains(name)
            {
                missing.append("\(path): \(name)")
            }
        }
        #expect(missing.isEmpty, "Add them to OurNames.")
        #expect(OurNames.all.isDisjoint(with: apples))
    }
}

extension SwiftSource {
    /// All words of a text that is no Swift: names and signatures, in lines.
    fileprivate var wordsOfTable: [String] {
        text(0..<bytes.count)
            .split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    }

    /// The names that public declarations outside of other declarations have.
    fileprivate var publicNames: [String] {
        var names: [String] = []
        var index = 0
        let kinds: Set = [
            "actor", "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
        ]
        while index < tokens.count {
            if isToken(index, "{") { index = closingBracket(of: index) ?? index }
            if let access = word(index), access == "public" || access == "open" {
                var place = index + 1
                while let next = word(place), next == "final" || next == "nonisolated" {
                    place += 1
                }
                if let kind = word(place), kinds.contains(kind), let name = word(place + 1) {
                    names.append(name)
                }
            }
            index += 1
        }
        return names
    }
}
