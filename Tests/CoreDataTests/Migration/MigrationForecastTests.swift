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

    /// A change of one entity's or one property's description, and what the forecast says of it.
    struct Case: CustomTestStringConvertible, Sendable {
        typealias Change = @Sendable (NSEntityDescription, NSEntityDescription) -> Void

        let text: String
        let before: Change
        let after: Change

        init(_ text: String, before: @escaping Change = { _, _ in }, after: @escaping Change) {
            self.text = text
            self.before = before
            self.after = after
        }

        var testDescription: String { text }
    }

    private static func tags(_ isOrdered: Bool) -> Case.Change {
        { book, tag in
            let tags = makeRelationship("tags", to: tag, many: true)
            tags.isOrdered = isOrdered
            book.properties.append(tags)
        }
    }

    private static func cover(_ isExternal: Bool) -> Case.Change {
        { book, _ in
            let cover = makeAttribute("cover", .binaryDataAttributeType)
            cover.allowsExternalBinaryDataStorage = isExternal
            book.properties.append(cover)
        }
    }

    private static func require(_ isRequired: Bool, default value: String? = nil) -> Case.Change {
        { book, _ in
            book.attributesByName["title"]?.isOptional = !isRequired
            book.attributesByName["title"]?.defaultValue = value
        }
    }

    @Test(arguments: [
        Case("becomes abstract, and the migration fails if it has objects") { book, _ in
            book.isAbstract = true
        },
        Case("gets the parent Tag") { book, tag in tag.subentities.append(book) },
        Case("loses its parent", before: { $1.subentities.append($0) }, after: { _, _ in }),
        Case(
            "becomes required, and the migration fails if an object has none",
            after: require(true)
        ),
        Case(
            "becomes required, and empty values get the default value",
            after: require(true, default: "x")
        ),
        Case("becomes optional", before: require(true), after: require(false)),
        Case("may stand in files of its own", before: cover(false), after: cover(true)),
        Case(
            "moves from files of its own into the store",
            before: cover(true),
            after: cover(false)
        ),
        Case("becomes ordered, in the order of keys", before: tags(false), after: tags(true)),
        Case("loses its order", before: tags(true), after: tags(false)),
        Case(
            "is added and required",
            after: { book, tag in
                book.properties.append(
                    makeRelationship("tags", to: tag, many: true, optional: false)
                )
            }
        ),
    ])
    func eachChangeIsSaid(change: Case) {
        let forecast = MigrationForecast(
            from: library(change.before),
            to: library(change.after)
        )
        #expect(forecast.changes.filter { $0.entity == "Book" }.map(\.text).contains(change.text))
    }

    @Test func whatGoesAsAWholeIsCountedWhereItIsKnown() {
        let all = library { _, _ in }, none = makeModel([makeEntity("Other")])
        let forecast = MigrationForecast(from: all, to: none, counts: ["Book": 4])
        #expect(forecast.removesAllEntities)
        #expect(forecast.removedEntities.map(\.name) == ["Book", "Tag"])
        #expect(
            forecast.changes.map(\.text) == [
                "is added", "is removed with its 4 objects", "is removed with all objects",
            ]
        )
    }
}
