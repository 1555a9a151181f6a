import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What a forecast says would be lost.
@Suite struct MigrationForecastTests {
    private func library(
        _ change: (_ book: NSEntityDescription, _ tag: NSEntityDescription) -> Void
    )
        -> NSManagedObjectModel
    {
        let book = makeEntity("Book", [makeAttribute("title"), makeAttribute("blurb")])
        let tag = makeEntity("Tag", [makeAttribute("name")])
        change(book, tag)
        return makeModel([book, tag])
    }

    @Test func propertiesThatGoAreListedWithTheirObjects() {
        let old = library { book, tag in
            book.properties.append(makeRelationship("tags", to: tag, many: true))
        }
        let new = library { book, tag in
            book.properties.removeAll { $0.name == "blurb" }
            book.properties.append(makeRelationship("tags", to: tag, many: false))
        }
        let forecast = MigrationForecast(from: old, to: new, counts: ["Book": 4, "Tag": 0])
        #expect(forecast.lostValues.map(\.entity) == ["Book", "Book"])
        #expect(forecast.lostValues.map(\.property) == ["tags", "blurb"])
        #expect(forecast.lostValues.map(\.objectCount) == [4, 4])
        let changes = forecast.changes.map(\.text)
        for loss in forecast.lostValues { #expect(changes.contains(loss.text)) }
    }

    @Test func whatIsRenamedOrAddedIsNoLoss() {
        let old = library { _, _ in }
        let new = library { book, _ in
            book.attributesByName["blurb"]?.name = "summary"
            book.attributesByName["summary"]?.renamingIdentifier = "blurb"
            book.properties.append(makeAttribute("isbn"))
        }
        #expect(MigrationForecast(from: old, to: new, counts: ["Book": 4]).lostValues.isEmpty)
    }
}
