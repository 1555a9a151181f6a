import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct URITests {
    private static let texts = [
        "https://example.org/a", "https://example.org/B", "ftp://example.org",
    ]

    @Test(arguments: StoreKind.allCases)
    func locationsCompareAsTheirText(kind: StoreKind) throws {
        try withContext(kind) { context in
            for text in Self.texts {
                context.make("Person", ["name": text, "homepage": URL(string: text) as Any])
            }
            func found(_ predicate: NSPredicate) throws -> [String?] {
                try context.all("Person", sortedBy: "homepage", where: predicate)
                    .map { $0.text("name") }
            }
            let url = try #require(URL(string: Self.texts[0]))
            // First of unsaved objects, which are judged in memory, then by the store.
            for _ in 0..<2 {
                #expect(
                    try found(NSPredicate(value: true))
                        == ["ftp://example.org", "https://example.org/B", "https://example.org/a"]
                )
                #expect(try found(NSPredicate(format: "homepage == %@", url)) == [Self.texts[0]])
                #expect(
                    try found(NSPredicate(format: "homepage == %@", Self.texts[0]))
                        == [Self.texts[0]]
                )
                #expect(try found(NSPredicate(format: "homepage < 'g'")) == ["ftp://example.org"])
                #expect(
                    try found(NSPredicate(format: "homepage ENDSWITH[c] 'b'")) == [Self.texts[1]]
                )
                // Another spelling of one location is another value.
                #expect(
                    try found(NSPredicate(format: "homepage == 'HTTPS://example.org/a'")).isEmpty
                )
                try context.save()
            }
        }
    }
}
