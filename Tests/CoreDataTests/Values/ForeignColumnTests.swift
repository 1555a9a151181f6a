import Foundation
import Testing

@testable import CoreData

/// Values in a store's columns that are none of the attribute's type.
@Suite struct ForeignColumnTests {
    private static func model(_ type: NSAttributeType) -> NSManagedObjectModel {
        makeModel([makeEntity("Note", [makeAttribute("name"), makeAttribute("value", type)])])
    }

    private static func count(_ format: String, in context: NSManagedObjectContext) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: format)
        return try context.count(for: request)
    }

    @Test func aUUIDOfAWrongLengthReadsAsNilAndStaysInTheFile() throws {
        let model = Self.model(.UUIDAttributeType)
        let fixture = try MigrationFixture(model) {
            $0.insert("Note", ["name": "n", "value": UUID()])
        }
        _ = try fixture.shell("UPDATE ZNOTE SET ZVALUE = x'0102'")
        try fixture.open(model) { context in
            let note = try #require(try context.objects("Note", by: "name").first)
            #expect(note.value(forKey: "value") == nil)
            #expect(NSPredicate(format: "value == nil").evaluate(with: note))
            // To SQL there is a value.
            #expect(try Self.count("value == nil", in: context) == 0)
            let request = NSFetchRequest<NSDictionary>(entityName: "Note")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", "value"]
            #expect(try context.fetch(request) == [["name": "n"]])
            note.setValue("m", forKey: "name")
            try context.save()
        }
        #expect(try fixture.shell("SELECT ZNAME, hex(ZVALUE) FROM ZNOTE") == ["m|0102"])
    }

    @Test func aTextThatIsNoURLReadsAsNilAndComparesAsText() throws {
        let text = "http://[::1"
        try #require(URL(string: text) == nil)
        let model = Self.model(.URIAttributeType)
        let fixture = try MigrationFixture(model) {
            $0.insert("Note", ["name": "n", "value": URL(fileURLWithPath: "/")])
        }
        _ = try fixture.shell("UPDATE ZNOTE SET ZVALUE = '\(text)'")
        try fixture.open(model) { context in
            let note = try #require(try context.objects("Note", by: "name").first)
            #expect(note.value(forKey: "value") == nil)
            for format in ["value == '\(text)'", "value BEGINSWITH 'http:'", "value != nil"] {
                #expect(NSPredicate(format: format).evaluate(with: note), "\(format)")
                #expect(try Self.count(format, in: context) == 1, "\(format)")
            }
        }
    }
}
