import Foundation
import Testing

@testable import CoreData

/// The table of attribute kinds: what it has to hold for the code that reads it.
@Suite struct AttributeKindTests {
    /// A value of each kind that stores keep, as key-value access gives it.
    private static var samples: [(type: NSAttributeType, value: any Hashable)] {
        [
            (.integer16AttributeType, NSNumber(value: Int16(-7))),
            (.integer32AttributeType, NSNumber(value: Int32(70_000))),
            (.integer64AttributeType, NSNumber(value: Int64.max)),
            (.decimalAttributeType, NSDecimalNumber(string: "10.11")),
            (.doubleAttributeType, NSNumber(value: 0.1)),
            (.floatAttributeType, NSNumber(value: Float(0.5))),
            (.stringAttributeType, "Zoë"),
            (.booleanAttributeType, NSNumber(value: true)),
            (.dateAttributeType, Date(timeIntervalSinceReferenceDate: 1.5)),
            (.binaryDataAttributeType, Data([0, 1, 255])),
            (.UUIDAttributeType, UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6))),
        ]
    }

    @Test func eachTypeHasItsKind() {
        for rawValue in UInt(0)...3000 {
            guard let type = NSAttributeType(rawValue: rawValue) else { continue }
            #expect(AttributeKinds.kind(of: type).type == type)
        }
        #expect(Set(AttributeKinds.all.map { $0.type }).count == AttributeKinds.all.count)
    }

    @Test func namesOfModelSourcesAreUnique() {
        let names = AttributeKinds.all.map { $0.sourceName }
        #expect(Set(names).count == names.count)
        for kind in AttributeKinds.all {
            #expect(AttributeKinds.kind(sourceName: kind.sourceName)?.type == kind.type)
        }
    }

    @Test func namesOfMarkupStoresAreThoseOfOneFormOfStorage() {
        for kind in AttributeKinds.all where kind.storage.isInRow {
            let name = kind.markupName ?? ""
            #expect(AttributeKinds.kind(markupName: name)?.storage == kind.storage)
        }
    }

    /// Files of binary stores hold these numbers.
    @Test func numbersOfStorageStay() {
        let numbers = AttributeKinds.all.map { ($0.type, $0.storage.rawValue) }
        let expected: [NSAttributeType: UInt8] = [
            .integer16AttributeType: 0, .integer32AttributeType: 1, .integer64AttributeType: 2,
            .booleanAttributeType: 3, .doubleAttributeType: 4, .floatAttributeType: 5,
            .dateAttributeType: 6, .stringAttributeType: 7, .URIAttributeType: 8,
            .decimalAttributeType: 9, .binaryDataAttributeType: 10, .UUIDAttributeType: 11,
            .transformableAttributeType: 12, .compositeAttributeType: 12,
            .undefinedAttributeType: 15, .objectIDAttributeType: 15,
        ]
        #expect(Dictionary(uniqueKeysWithValues: numbers) == expected)
        #expect(StorageKind(rawValue: 13) == .toOne)
        for number: UInt8 in [14, 15, 16, 255] { #expect(StorageKind(rawValue: number) == nil) }
    }

    @Test func valuesSurviveTheirStorageForm() {
        for (type, value) in Self.samples {
            let kind = AttributeKinds.kind(of: type)
            let again = kind.slotValue(value).flatMap { kind.anyValue($0) } as? AnyHashable
            #expect(again == AnyHashable(value), "\(kind.sourceName)")
        }
    }

    @Test func valuesOfForeignTypesHaveNoStorageForm() {
        struct Foreign {}
        for kind in AttributeKinds.all where kind.storage.isInRow {
            let isBoxed = kind.storage == .transformable
            #expect((kind.slotValue(Foreign()) == nil) != isBoxed)
        }
    }

    // MARK: Values that compare with their own kind only

    private static func scalar(_ text: String) throws -> QueryScalar {
        try #require(UUID(uuidString: text).flatMap { AttributeKinds.scalar($0) })
    }

    @Test func scalarsAreOrderedByTheirBytes() throws {
        let low = try Self.scalar("00000000-0000-0000-0000-000000000001")
        let high = try Self.scalar("F0000000-0000-0000-0000-000000000000")
        #expect(low.order(comparedWith: high) == -1)
        #expect(high.order(comparedWith: low) == 1)
        #expect(low.order(comparedWith: low) == 0)
        #expect(low != high)
        #expect(Set([low, high, low]).count == 2)
    }

    @Test func scalarsOfTwoKindsDoNotCompare() throws {
        let uuid = try Self.scalar("00000000-0000-0000-0000-000000000001")
        let other = QueryScalar(kind: .string, value: uuid.value)
        #expect(uuid.order(comparedWith: other) == nil)
        #expect(uuid != other)
        #expect(!QueryComparison.isEqual(.scalar(uuid), .scalar(other), []))
    }

    /// Which a kind to come may have; those of today are bytes.
    @Test func archivesHaveScalarsOfEachForm() throws {
        let fields: [String: CraftedValue] = ["whole": 7, "real": 1.5, "text": "x"]
        let object = try CraftedValue.object("NSThing", fields).archived()
        func value(_ kind: any AttributeKind.Type, _ field: String) throws -> NSObject? {
            let form = ArchivedScalar(classNames: ["NSThing"], field: field)
            return try FoundationArchive.scalar(object, kind, form) as? NSObject
        }
        #expect(try value(Integer64Kind.self, "whole") == NSNumber(value: 7))
        #expect(try value(Integer64Kind.self, "none") == NSNumber(value: 0))
        #expect(try value(DoubleKind.self, "real") == NSNumber(value: 1.5))
        #expect(try value(StringKind.self, "text") == "x" as NSString)
        #expect(try value(StringKind.self, "none") == "" as NSString)
        #expect(throws: ArchiveError.self) { try value(UndefinedKind.self, "text") }
    }

    @Test func scalarsAreWrittenAsTheTextThatTheirKindReads() throws {
        let text = "F0000000-0000-0000-0000-000000000001"
        let scalar = try Self.scalar(text)
        #expect(scalar.text == text)
        #expect(scalar.anyValue as? UUID == UUID(uuidString: text))
        #expect(CastTarget(name: "NSUUID")?.literal(text) as? UUID == UUID(uuidString: text))
        #expect(CastTarget.list.contains("\"NSUUID\""))
        #expect(CastTarget(name: "NSThing") == nil)
    }
}
