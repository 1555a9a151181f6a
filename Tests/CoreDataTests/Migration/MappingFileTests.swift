import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Files of mapping models that lack something, say something else, or are damaged.
@Suite struct MappingFileTests {
    // MARK: Compiled ones

    private func read(_ data: Data) throws -> [NSEntityMapping] {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Test.cdm")
            try data.write(to: url)
            return try NSMappingModel(readingFrom: url).entityMappings
        }
    }

    /// An archive of a mapping model with one mapping of some fields.
    private func archive(
        root: String = "NSMappingModel",
        element: String = "NSEntityMapping",
        _ fields: (KeyedArchiveBuilder) -> [String: PropertyListValue]
    ) -> Data {
        let builder = KeyedArchiveBuilder()
        let mapping = builder.object([element], fields(builder))
        return builder.data(
            root: builder.object([root], ["NSEntityMappings": builder.array([mapping])])
        )
    }

    @Test func whatACompiledOneLacksIsEmpty() throws {
        let mapping = try #require(try read(archive { _ in [:] }).first)
        #expect(mapping.name == "" && mapping.mappingType == .undefinedEntityMappingType)
        #expect(mapping.attributeMappings?.isEmpty == true && mapping.userInfo == nil)
        #expect(mapping.sourceExpression == nil && mapping.sourceEntityVersionHash == nil)
    }

    @Test func compiledOnesThatMakeNoSenseAreRefused() throws {
        for (data, message) in [
            (archive(root: "NSManagedObjectModel") { _ in [:] }, "it holds no mapping model"),
            (archive { _ in ["NSMappingType": .integer(99)] }, "NSMappingType"),
            (archive { _ in ["NSMappingType": .integer(-1)] }, "NSMappingType"),
            (archive(element: "NSPropertyMapping") { _ in [:] }, "NSEntityMappings"),
            (
                archive { ["NSSourceEntityVersionHash": $0.string("no hash")] },
                "NSSourceEntityVersionHash"
            ),
        ] {
            let error = #expect(throws: CocoaError.self) { try read(data) }
            #expect(error?.code == .fileReadCorruptFile)
            let text = error?.localizedDescription ?? ""
            #expect(text.contains("Test.cdm") && text.contains(message), "\(text)")
        }
    }

    @Test func aMappingWithoutNameAndPropertiesIsWrittenAsSuch() throws {
        let mappings = try read(MappingModelWriter.data([NSEntityMapping(), NSEntityMapping()]))
        #expect(mappings.map(\.name) == ["", ""])
        #expect(mappings.allSatisfy { $0.attributeMappings?.isEmpty == true })
    }

    @Test func userInfoThatNoFileCanHoldIsNamed() {
        let mapping = NSEntityMapping()
        mapping.userInfo = ["window": Pipe()]
        let error = #expect(throws: UnwritableQuery.self) {
            try MappingModelWriter.data([mapping])
        }
        #expect(error?.what.contains("Pipe") == true)
    }

    // MARK: Sources

    private let one = makeModel([makeEntity("Note", [makeAttribute("title")])])
    private let two = makeModel([makeEntity("Note", [makeAttribute("title"), makeAttribute("x")])])

    private func withSource(
        _ entity: MappingSourceFolder.Entity = .init(source: "Note", destination: "Note"),
        change: (String) -> String = { $0 },
        _ body: (_ url: URL, _ folder: URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let source = try MappingSourceFolder("Test", in: folder, from: one, to: two, [entity])
            let file = source.url.appendingPathComponent("xcmapping.xml")
            let text = change(try String(contentsOf: file, encoding: .utf8))
            try Data(text.utf8).write(to: file)
            try body(source.url, folder)
        }
    }

    @Test func theFileInASourceIsReadAsTheSource() throws {
        try withSource { url, _ in
            let file = url.appendingPathComponent("xcmapping.xml")
            let whole = try NSMappingModel(readingFrom: url)
            #expect(try NSMappingModel(readingFrom: file) == whole)
            #expect(whole.entityMappings.count == 1)
        }
    }

    @Test func aFilterIsTheSourcesExpression() throws {
        let filter = CoreData.NSExpression(forConstantValue: "all of them")
        let entity = MappingSourceFolder.Entity(
            source: "Note",
            destination: "Note",
            filter: filter
        )
        try withSource(entity) { url, _ in
            let mapping = try NSMappingModel(readingFrom: url).entityMappings.first
            #expect(mapping?.sourceExpression == filter)
        }
    }

    @Test func aTypeThatTheSourceNamesCounts() throws {
        for (name, type) in [
            ("Custom", NSEntityMappingType.customEntityMappingType),
            ("Transform", .transformEntityMappingType), ("Undefined", .copyEntityMappingType),
        ] {
            try withSource(change: { $0.replacingOccurrences(of: ">Undefined<", with: ">\(name)<") }
            ) { url, _ in
                let mapping = try NSMappingModel(readingFrom: url).entityMappings.first
                #expect(mapping?.mappingType == type)
            }
        }
    }

    /// The editor's file may hold what is not known here.
    @Test func propertiesWithoutNamesArePassedOver() throws {
        try withSource(
            change: { $0.replacingOccurrences(of: ">x</attribute>", with: "></attribute>") }
        ) { url, _ in
            let mapping = try NSMappingModel(readingFrom: url).entityMappings.first
            #expect(mapping?.attributeMappings?.map(\.name) == ["title"])
        }
    }

    @Test func twoObjectsOfOneIdentifierAreRefused() throws {
        try withSource(
            change: { text in
                text.replacingOccurrences(
                    of: "</database>",
                    with: "<object type=\"XDDEVMAPPINGMODEL\" id=\"z102\"></object></database>"
                )
            }
        ) { url, _ in
            let error = #expect(throws: CocoaError.self) { try NSMappingModel(readingFrom: url) }
            let text = error?.localizedDescription ?? ""
            #expect(text.contains("there are two objects \"z102\""), "\(text)")
        }
    }

    @Test func compilingToWhereNothingCanBeWrittenFails() throws {
        try withSource { url, folder in
            let destination = folder.appendingPathComponent("none/Test.cdm")
            let error = #expect(throws: CocoaError.self) {
                try NSMappingModel.compile(url, to: destination)
            }
            #expect(error?.localizedDescription.contains(destination.path) == true)
        }
    }

    @Test func withoutModelsThereIsNoMapping() throws {
        try withSource { _, folder in
            let bundle = try #require(Bundle(url: folder))
            let found = NSMappingModel(
                from: [bundle],
                forSourceModel: one,
                destinationModel: two
            )
            #expect(found != nil)
            for (source, destination) in [(one, nil), (nil, two), (nil, nil)] {
                let model = NSMappingModel(
                    from: [bundle],
                    forSourceModel: source,
                    destinationModel: destination
                )
                #expect(model == nil)
            }
        }
    }

    /// What can't be read may be of another program, and what fits is found all the same.
    @Test func damagedAndOtherFilesInABundleArePassedOver() throws {
        try withSource { _, folder in
            try Data("no mapping".utf8).write(to: folder.appendingPathComponent("A.cdm"))
            let other = NSEntityMapping()
            other.sourceEntityName = "Other"
            other.sourceEntityVersionHash = Data([1])
            try MappingModelWriter.data([other])
                .write(to: folder.appendingPathComponent("B.cdm"))
            let bundle = try #require(Bundle(url: folder))
            let found = NSMappingModel(
                from: [bundle],
                forSourceModel: one,
                destinationModel: two
            )
            #expect(found?.entityMappings.map(\.sourceEntityName) == ["Note"])
        }
    }

    /// It may be the one that is meant.
    @Test func aFileThatCannotBeReadNowHidesNoOther() throws {
        try withSource { _, folder in
            // A regular file that nobody can read from its beginning, not even an administrator.
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent("A.cdm").path,
                withDestinationPath: "/proc/self/mem"
            )
            let bundle = try #require(Bundle(url: folder))
            let found = NSMappingModel(
                from: [bundle],
                forSourceModel: one,
                destinationModel: two
            )
            #expect(found == nil)
        }
    }

    @Test func mappingsEqualNothingElse() {
        let mapping = NSEntityMapping(), property = NSPropertyMapping()
        property.name = "title"
        let same = NSPropertyMapping()
        same.name = "title"
        #expect(!mapping.isEqual("mapping") && !property.isEqual(mapping))
        #expect(!NSMappingModel().isEqual(mapping) && NSMappingModel().isEqual(NSMappingModel()))
        #expect(Set([property, same]).count == 1)
    }

    @Test func whatIsRemovedIsMappedToNothing() throws {
        let model = try NSMappingModel.inferredMappingModel(
            forSourceModel: makeModel([makeEntity("Note"), makeEntity("Old")]),
            destinationModel: makeModel([makeEntity("Note")])
        )
        let removal = try #require(model.entityMappings.first { $0.sourceEntityName == "Old" })
        #expect(removal.mappingType == .removeEntityMappingType)
        #expect(removal.destinationEntityName == nil)
        // So it is in a source that does not say what becomes of it.
        let defaults = MappingDefaults(
            source: makeModel([makeEntity("Note"), makeEntity("Old")]),
            destination: makeModel([makeEntity("Note")]),
            mappings: [removal]
        )
        #expect(defaults.type(of: removal, saying: "Undefined") == .removeEntityMappingType)
    }
}
