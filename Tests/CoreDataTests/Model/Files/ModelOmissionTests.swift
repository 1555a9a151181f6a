import Testing

@testable import CoreData

/// What of a model made in code has no form in compiled models, and what has.
@Suite struct ModelOmissionTests {
    /// The model as it comes back, and the sentences about what does not.
    private func written(
        _ model: NSManagedObjectModel
    ) throws -> (model: NSManagedObjectModel, omissions: [String]) {
        let (data, omissions) = ModelArchiveWriter.data(model, .compiled)
        let copy = NSManagedObjectModel()
        try ModelArchiveReader.read(data, into: copy)
        return (copy, omissions)
    }

    private let block = NSPredicate { _, _ in true }

    @Test func whatOnlyCodeSaysIsNamed() throws {
        let title = makeAttribute("title")
        title.setValidationPredicates(
            [block, NSPredicate(format: "SELF != 'a'")],
            withValidationWarnings: ["b"]
        )
        let picture = makeAttribute("picture", .transformableAttributeType)
        picture.defaultValue = Thread.current
        let derived = NSDerivedAttributeDescription()
        derived.name = "derived"
        derived.attributeType = .integer64AttributeType
        derived.derivationExpression = NSExpression(block: { _, _, _ in 1 }, arguments: nil)
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "fetched"
        fetched.fetchRequest = NSFetchRequest(entityName: "Note")
        fetched.fetchRequest?.predicate = block
        let note = makeEntity("Note", [title, picture, derived, fetched])
        note.userInfo = ["thread": Thread.current]
        let index = NSFetchIndexDescription(
            name: "byTitle",
            elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)]
        )
        index.partialIndexPredicate = block
        note.indexes = [index]
        let (copy, omissions) = try written(makeModel([note]))
        #expect(
            omissions.sorted() == [
                "Note.derived: the derivation holds an expression of a block.",
                "Note.fetched: the fetch request is left out, since it holds a predicate of a block.",
                "Note.picture: the default value is of type Thread.",
                "Note.title: a validation predicate holds a predicate of a block.",
                "Note: the user info holds a value of type Thread.",
                "The entity Note: the index byTitle is left out, since it holds a predicate of a "
                    + "block.",
            ]
        )
        let read = try #require(copy.entitiesByName["Note"])
        // The predicate that is left keeps the warning that it had, which is none here.
        #expect(read.attributesByName["title"]?.validationPredicates.count == 1)
        #expect(read.attributesByName["title"]?.validationWarnings as? [String] == [""])
        #expect(read.indexes.isEmpty && read.userInfo?.isEmpty == true)
    }

    @Test func propertiesOfOtherClassesAreNoted() throws {
        let plain = NSPropertyDescription()
        plain.name = "plain"
        let note = makeEntity("Note", [makeAttribute("title"), plain])
        let (copy, _) = try written(makeModel([note]))
        #expect(copy.entitiesByName["Note"]?.properties.map(\.name) == ["title"])
        #expect(copy.unrecognizedParts.count == 1)
        #expect(copy.unrecognizedParts.first?.contains("class NSPropertyDescription") == true)
    }

    @Test func whatTheEditorLacksComesBack() throws {
        let title = makeAttribute("title")
        title.allowsCloudEncryption = true
        let list = makeAttribute("list", .transformableAttributeType)
        list.defaultValue = NSArray(array: [1, 2])
        let note = makeEntity("Note", [title, list])
        let element = NSFetchIndexElementDescription(property: title, collationType: .rTree)
        let index = NSFetchIndexDescription(name: "byTitle", elements: [element])
        index.partialIndexPredicate = NSPredicate(format: "title != nil")
        note.indexes = [index]
        let model = makeModel([note])
        model.setEntities([note], forConfigurationName: "Some")
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
        request.propertiesToFetch = ["title", list] as [Any]
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["title"]
        request.havingPredicate = NSPredicate(format: "title != 'a'")
        model.setFetchRequestTemplate(request, forName: "titles")
        let (copy, omissions) = try written(model)
        #expect(omissions.isEmpty)
        let read = try #require(copy.entitiesByName["Note"])
        #expect(copy.entities(forConfigurationName: "Some") == [read])
        #expect(read.attributesByName["title"]?.allowsCloudEncryption == true)
        #expect(read.attributesByName["list"]?.defaultValue as? [Int] == [1, 2])
        #expect(read.indexes.first?.elements.first?.collationType == .rTree)
        #expect(read.indexes.first?.partialIndexPredicate == index.partialIndexPredicate)
        let template = try #require(copy.fetchRequestTemplate(forName: "titles"))
        #expect(
            template.propertiesToFetch?.compactMap { ($0 as? NSPropertyDescription)?.name } == [
                "title", "list",
            ]
        )
        #expect(template.havingPredicate == request.havingPredicate)
    }

    /// Limits become bounds only if a model's source could say them so, with that very error.
    @Test(arguments: [
        ("rank >= 3", 1620), ("SELF < 3", 1620), ("SELF >= 'x'", 1620), ("SELF >= 3", 1610),
        ("SELF MATCHES 5", 1680), ("SELF MATCHES '('", 1680), ("length >= 'x'", 1670),
        ("length < 3", 1670), ("length >= -1", 1670), ("SELF >= CAST('inf', 'NSNumber')", 1620),
        ("SELF >= 3", 7),
    ])
    func otherLimitsStayPredicates(_ format: String, _ code: Int) throws {
        let title = makeAttribute("title")
        let predicate = try NSPredicate.parse(format)
        title.setGivenPredicates([predicate], warnings: [code])
        let (copy, omissions) = try written(makeModel([makeEntity("Note", [title])]))
        #expect(omissions.isEmpty)
        let read = try #require(copy.entitiesByName["Note"]?.attributesByName["title"])
        #expect(read.bounds.predicates.isEmpty)
        #expect(read.validationPredicates == [predicate])
        #expect(read.validationWarnings as? [Int] == [code])
    }

    /// A second limit of one kind counts as well.
    @Test func twoLimitsOfAKindBothCount() throws {
        let rank = makeAttribute("rank", .integer16AttributeType)
        let predicates = ["SELF >= 3", "SELF >= 5"].map { NSPredicate(format: $0) }
        rank.setGivenPredicates(predicates, warnings: [1620, 1620])
        let (copy, _) = try written(makeModel([makeEntity("Note", [rank])]))
        let read = try #require(copy.entitiesByName["Note"]?.attributesByName["rank"])
        #expect(read.bounds.minimum == 3)
        #expect(Set(read.validationPredicates.map(\.formatString)) == ["SELF >= 3", "SELF >= 5"])
    }
}
