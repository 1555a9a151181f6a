import Foundation
import Testing

@testable import CoreData

/// How the objects of an archive hang together: what refers to what, how deep, and how often.
@Suite struct ArchiveStructureTests {
    private func read(_ data: Data, _ classes: [AnyClass] = TransformableValue.safeClasses) throws
        -> Any?
    {
        try TransformableValue.value(of: data, allowing: classes)
    }

    private func reason(_ body: () throws -> Void) -> String {
        let error = #expect(throws: ArchiveError.self, performing: body)
        return error?.reason ?? ""
    }

    @Test func collectionsHoldNoNil() {
        for crafted: CraftedValue in [[.nothing], [.nothing: "x"]] {
            #expect(reason { _ = try read(crafted.archive) } == "a collection holds nil")
        }
    }

    @Test func anObjectIsNoPartOfItself() {
        let builder = KeyedArchiveBuilder()
        let place = builder.reserve()
        builder.fill(place, ["NSArray", "NSObject"], ["NS.objects": .array([.reference(place)])])
        let data = builder.data(root: .reference(place))
        #expect(reason { _ = try read(data) } == "an object is a part of itself")
    }

    @Test func nestingIsLimited() throws {
        var crafted: CraftedValue = [1], value = NSArray(array: [1])
        for _ in 0..<200 { (crafted, value) = ([crafted], NSArray(array: [value])) }
        #expect(reason { _ = try read(crafted.archive) } == "its objects are nested too deep")
        let error = #expect(throws: CocoaError.self) { try TransformableValue.archive(value) }
        #expect(error?.localizedDescription.contains("a deep tree") == true)
    }

    /// Each array holds the one before twice: a few objects, and more parts than memory holds.
    @Test func partsThatAreSharedWithoutEndAreRefused() {
        let builder = KeyedArchiveBuilder()
        var root = builder.array([])
        for _ in 0..<40 { root = builder.array([root, root]) }
        let data = builder.data(root: root)
        #expect(reason { _ = try read(data) }.contains("shared so often"))
    }

    @Test func classesThatAreNotAllowedAreNamed() {
        let thread = CraftedValue.object("NSThread").archive
        #expect(reason { _ = try read(thread) }.contains("an object of class NSThread"))
        let list = CraftedValue.list(["x"]).archive
        #expect(reason { _ = try read(list, [NSArray.self]) }.contains("which is not allowed"))
        let dangling = CraftedValue.list([.dangling]).archive
        #expect(reason { _ = try read(dangling) } == "it refers to an object that is not there")
    }

    /// The archive of a text at a place that has some names.
    private func archive(_ names: String...) -> Data {
        BinaryPropertyListWriter.data(
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"),
                "$objects": .array([KeyedArchive.null, .string("text")]),
                "$top": .dictionary(
                    Dictionary(uniqueKeysWithValues: names.map { ($0, .reference(1)) })
                ),
            ])
        )
    }

    @Test func theRootIsCalledSoOrAlone() throws {
        #expect(try read(archive("root", "other")) as? String == "text")
        #expect(try read(archive("only")) as? String == "text")
        for data in [archive(), archive("first", "second")] {
            #expect(reason { _ = try read(data) } == "the archive has no root object")
        }
    }

    // MARK: What is written

    @Test func setsInSetsAreWrittenInOneOrder() throws {
        func set(_ parts: [[Int]]) throws -> Data {
            try TransformableValue.archive(NSSet(array: parts.map { NSSet(array: $0) }))
        }
        let data = try set([[1, 2], [3, 4, 5], [6]])
        #expect(try set([[6], [5, 3, 4], [2, 1]]) == data)
        let read = try #require(try read(data) as? NSSet)
        #expect(Set(read.compactMap { ($0 as? NSSet)?.count }) == [1, 2, 3])
    }

    @Test func valuesOfSwiftComeBack() throws {
        let decimal = try #require(Decimal(string: "-1.25"))
        let copy = try read(TransformableValue.archive(decimal)) as? NSDecimalNumber
        #expect(copy?.decimalValue == decimal)
        let none = try read(TransformableValue.archive(Decimal.nan)) as? NSDecimalNumber
        #expect(none?.decimalValue.isNaN == true)
        let base = URL(string: "https://example.org/a/")
        let url = try #require(URL(string: "b", relativeTo: base))
        let address = try read(TransformableValue.archive(url)) as? NSURL
        #expect(address?.absoluteString == "https://example.org/a/b")
        #expect(address?.baseURL == base)
    }
}
