import Testing

@testable import CoreData

@Suite struct PropertyValidatorTests {
    private func failures(
        of value: Any?,
        _ type: NSAttributeType,
        optional: Bool = true,
        transient: Bool = false,
        _ bounds: AttributeBounds = AttributeBounds()
    ) -> [ValidationFailure] {
        let attribute = makeAttribute("value", type, optional: optional, bounds: bounds)
        attribute.isTransient = transient
        let model = makeModel([makeEntity("Thing", [attribute])])
        let slot = model.layout.entities[0].slots[0]
        return slot.failures(of: slot.kind.slotValue(value) ?? .null)
    }

    @Test func onlyNilIsMissing() {
        #expect(
            failures(of: nil, .stringAttributeType, optional: false) == [.missingMandatoryProperty]
        )
        #expect(failures(of: "", .stringAttributeType, optional: false) == [])
        #expect(failures(of: nil, .stringAttributeType) == [])
    }

    @Test func integersAreKeptWithinBounds() {
        let bounds = AttributeBounds(minimum: -3, maximum: Decimal(string: "9.5"))
        #expect(failures(of: -4, .integer16AttributeType, bounds) == [.numberTooSmall])
        #expect(failures(of: -3, .integer16AttributeType, bounds) == [])
        #expect(failures(of: 9, .integer64AttributeType, bounds) == [])
        #expect(failures(of: 10, .integer64AttributeType, bounds) == [.numberTooLarge])
        let huge = AttributeBounds(maximum: Decimal(string: "1e30"))
        #expect(failures(of: Int.max, .integer64AttributeType, huge) == [])
        let exact = AttributeBounds(minimum: Decimal(Int64.max - 1))
        #expect(failures(of: Int.max - 2, .integer64AttributeType, exact) == [.numberTooSmall])
        #expect(failures(of: Int.max - 1, .integer64AttributeType, exact) == [])
    }

    @Test func realsAndDecimalsAreKeptWithinBounds() {
        let bounds = AttributeBounds(minimum: -4, maximum: Decimal(string: "0.1"))
        #expect(failures(of: 0.1, .doubleAttributeType, bounds) == [])
        #expect(failures(of: 0.1000001, .doubleAttributeType, bounds) == [.numberTooLarge])
        #expect(failures(of: Float(0.1), .floatAttributeType, bounds) == [])
        #expect(failures(of: Double.nan, .doubleAttributeType, bounds) == [.notANumber])
        #expect(failures(of: Decimal(string: "0.1"), .decimalAttributeType, bounds) == [])
        #expect(
            failures(of: Decimal(string: "0.10001"), .decimalAttributeType, bounds) == [
                .numberTooLarge
            ]
        )
        #expect(failures(of: Decimal(-5), .decimalAttributeType, bounds) == [.numberTooSmall])
    }

    @Test func datesAreKeptWithinBounds() {
        let bounds = AttributeBounds(earliest: 0, latest: 10)
        func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
        #expect(failures(of: at(-1), .dateAttributeType, bounds) == [.dateTooSoon])
        #expect(failures(of: at(11), .dateAttributeType, bounds) == [.dateTooLate])
        #expect(failures(of: at(10), .dateAttributeType, bounds) == [])
        #expect(failures(of: at(.nan), .dateAttributeType) == [.invalidDate])
    }

    @Test func stringsAreCountedInUTF16Units() throws {
        let bounds = AttributeBounds(minimumLength: 2, maximumLength: 4)
        #expect(failures(of: "a", .stringAttributeType, bounds) == [.stringTooShort])
        #expect(failures(of: "👍", .stringAttributeType, bounds) == [])
        #expect(failures(of: "👍👍a", .stringAttributeType, bounds) == [.stringTooLong])
    }

    @Test func patternsMatchTheWholeString() throws {
        let bounds = AttributeBounds(minimumLength: 2, pattern: try .init("a|ab"))
        #expect(failures(of: "ab", .stringAttributeType, bounds) == [])
        #expect(failures(of: "abc", .stringAttributeType, bounds) == [.stringPatternMatching])
        #expect(failures(of: "ab\n", .stringAttributeType, bounds) == [.stringPatternMatching])
        #expect(
            failures(of: "b", .stringAttributeType, bounds) == [
                .stringTooShort, .stringPatternMatching,
            ]
        )
        #expect(throws: (any Error).self) { try AttributeBounds.Pattern("a)(b") }
    }

    @Test func transientValuesAreValidatedToo() {
        let bounds = AttributeBounds(maximum: 9)
        #expect(
            failures(of: 10, .integer32AttributeType, transient: true, bounds) == [.numberTooLarge]
        )
        #expect(failures(of: 9, .integer32AttributeType, transient: true, bounds) == [])
        #expect(
            failures(of: nil, .undefinedAttributeType, optional: false, transient: true)
                == [.missingMandatoryProperty]
        )
    }

    @Test func entitiesWithoutRulesHaveNothingToValidate() {
        let note = makeEntity(
            "Note",
            [makeAttribute("title"), makeAttribute("count", .integer16AttributeType)]
        )
        let tag = makeEntity("Tag", [makeAttribute("name", optional: false)])
        let notes = makeRelationship("notes", to: note, many: true, optional: false)
        tag.properties.append(notes)
        let layout = makeModel([note, tag]).layout
        #expect(layout.entitiesByName["Note"]?.validatedSlots == [])
        // The relationship is required, but has no minimum.
        #expect(layout.entitiesByName["Tag"]?.validatedSlots == [0])
        #expect(layout.entitiesByName["Tag"]?.slots[1].failures(of: .null) == [])
    }

    @Test func settingPredicatesReplacesTheFilesLimits() {
        let attribute = makeAttribute("age", .integer16AttributeType, bounds: .init(minimum: 1))
        attribute.setValidationPredicates(
            [NSPredicate(value: true)],
            withValidationWarnings: ["No."]
        )
        let layout = makeModel([makeEntity("Person", [attribute])]).layout
        #expect(layout.entities[0].slots[0].rules.isEmpty)
        #expect(layout.entities[0].slots[0].hasValidationPredicates)
        #expect(layout.entities[0].validatedSlots == [0])
    }
}
