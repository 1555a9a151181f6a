import Testing

/// What an import of the layer adds to types of other modules: what a reader would expect of it.
@Suite struct ForeignMemberTests {
    @Test func theLayerAddsToAppleTypesWhatItsPageSays() throws {
        let found = ForeignMembers(try Checkout.sources("Sources/MergeStack"))
        #expect(
            found.names == [
                "NSManagedObject.inContext", "NSPersistentStoreDescription.allowsDroppingEntities",
            ],
            "Say so in Docs/Architecture.md, or put it into a product of its own."
        )
    }

    @Test func importAndExportAddNothingToTypesOfOthers() throws {
        let found = ForeignMembers(try Checkout.sources("Sources/MergeExchange"))
        // Its kinds of errors are the package's own.
        #expect(found.names.allSatisfy { $0.hasPrefix("MergeStackError.") })
    }

    @Test func publicMembersOfForeignTypesAreFound() {
        let found = ForeignMembers([
            "A.swift": """
            struct Own {}
            extension Own { public func a() {} }
            extension Other { public var b: Int { c }; var c: Int { 1 } }
            extension Other { public static func d() { let e = 1 } }
            public extension Third { init(f: Int) { let g = f }; func h() {} }
            """
        ])
        #expect(found.names == ["Other.b", "Other.d", "Third.h", "Third.init"])
    }
}
