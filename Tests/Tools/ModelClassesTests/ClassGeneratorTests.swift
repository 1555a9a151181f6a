import Foundation
import ModelClasses
import Testing

/// The generated text, held against what Apple's article "Generating code" shows.
@Suite struct ClassGeneratorTests {
    private static let contents = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Quake" representedClassName="Quake" codeGenerationType="class">
                <attribute name="time" attributeType="Date" usesScalarValueType="NO"/>
                <attribute name="place" optional="YES" attributeType="String"/>
                <attribute name="magnitude" attributeType="Float" usesScalarValueType="YES"/>
                <relationship name="countries" toMany="YES" destinationEntity="Country"/>
            </entity>
            <entity name="Country" representedClassName=".Land" codeGenerationType="category">
                <attribute name="default" attributeType="Boolean"/>
                <attribute name="flag" attributeType="Transformable" customClassName="Picture"/>
                <relationship name="cities" toMany="YES" ordered="YES" destinationEntity="City"/>
                <relationship name="capital" maxCount="1" destinationEntity="City"/>
            </entity>
            <entity name="City" representedClassName="App.City" isAbstract="YES"/>
            <entity name="Town" parentEntity="City" representedClassName="Town"
                codeGenerationType="class"/>
            <entity name="Plain" codeGenerationType="class"/>
        </model>
        """

    private func files(
        _ contents: String = contents,
        access: ClassGenerator.Access = .public,
        all: Bool = false
    ) throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("ClassGeneratorTests-\(UUID().uuidString).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(contents.utf8).write(to: folder.appendingPathComponent("contents"))
        let model = try ModelSource(contentsOf: folder)
        let files = ClassGenerator(model, access: access, includesManual: all).files()
        return Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
    }

    /// The code without comments, blank lines and what is about Objective-C.
    private func code(_ text: String?) -> [String] {
        (text ?? "").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.hasPrefix("//") && !$0.hasPrefix("#") && !$0.isEmpty }
    }

    @Test func eachEntityFollowsItsSetting() throws {
        #expect(
            try files().keys.sorted() == [
                "Land+CoreDataProperties.swift", "Quake+CoreDataClass.swift",
                "Quake+CoreDataProperties.swift", "Town+CoreDataClass.swift",
                "Town+CoreDataProperties.swift",
            ]
        )
        #expect(try files(all: true).keys.contains("City+CoreDataClass.swift"))
        #expect(try files(all: true).keys.contains("Plain+CoreDataClass.swift") == false)
    }

    @Test func classesAreAsInTheArticle() throws {
        let files = try files()
        #expect(
            code(files["Quake+CoreDataClass.swift"]) == [
                "import CoreData", "import Foundation", "@objc(Quake)",
                "public class Quake: NSManagedObject {}",
            ]
        )
        #expect(
            code(files["Quake+CoreDataProperties.swift"]) == [
                "import CoreData", "import Foundation", "extension Quake {",
                "@nonobjc public class func fetchRequest() -> NSFetchRequest<Quake> {",
                "return NSFetchRequest<Quake>(entityName: \"Quake\")", "}",
                "@NSManaged public var countries: NSSet?", "@NSManaged public var magnitude: Float",
                "@NSManaged public var place: String?", "@NSManaged public var time: Date?", "}",
                "extension Quake {", "@objc(addCountriesObject:)",
                "@NSManaged public func addToCountries(_ value: Land)",
                "@objc(removeCountriesObject:)",
                "@NSManaged public func removeFromCountries(_ value: Land)",
                "@objc(addCountries:)", "@NSManaged public func addToCountries(_ values: NSSet)",
                "@objc(removeCountries:)",
                "@NSManaged public func removeFromCountries(_ values: NSSet)", "}",
                "extension Quake: Identifiable {}",
            ]
        )
    }

    @Test func typesFollowTheModel() throws {
        let land = code(try files()["Land+CoreDataProperties.swift"])
        for line in [
            "@nonobjc public class func fetchRequest() -> NSFetchRequest<Land> {",
            "return NSFetchRequest<Land>(entityName: \"Country\")",
            "@NSManaged public var `default`: NSNumber?", "@NSManaged public var flag: Picture?",
            "@NSManaged public var capital: City?", "@NSManaged public var cities: NSOrderedSet?",
            "@NSManaged public func insertIntoCities(_ value: City, at idx: Int)",
            "@NSManaged public func removeFromCities(at indexes: NSIndexSet)",
            "@NSManaged public func replaceCities(at idx: Int, with value: City)",
            "@NSManaged public func addToCities(_ values: NSOrderedSet)",
        ] {
            #expect(land.contains(line))
        }
    }

    /// A model that a newer Xcode has written may name types that are not known yet.
    @Test(arguments: [("Vector", "Vector?"), ("Integer 128", "NSObject?")])
    func typesThatAreNotKnownAreTakenForSwiftsWhereTheyCanBe(name: String, type: String) throws {
        let contents = """
            <model><entity name="A" representedClassName="A" codeGenerationType="class">
            <attribute name="a" attributeType="\(name)"/></entity></model>
            """
        let properties = code(try files(contents)["A+CoreDataProperties.swift"])
        #expect(properties.contains("@NSManaged public var a: \(type)"))
    }

    @Test func subclassesInheritAndAccessIsAChoice() throws {
        let files = try files(access: .internal)
        #expect(code(files["Town+CoreDataClass.swift"]).last == "class Town: City {}")
        let properties = code(files["Town+CoreDataProperties.swift"])
        #expect(properties.contains("@nonobjc class func fetchRequest() -> NSFetchRequest<Town> {"))
        #expect(!properties.contains("extension Town: Identifiable {}"))
    }

    @Test(arguments: [
        ("<model><entity/></model>", "has no name"), ("<plist/>", "not <model>"),
        ("<model>", "line"),
        (
            "<model><entity name='A'><relationship name='b' destinationEntity='C'/></entity></model>",
            "\"C\""
        ),
        (
            "<model><entity name='A'><attribute name='a; evil()'/></entity></model>",
            "Swift property"
        ),
        ("<model><entity name='A' representedClassName='B {} class C'/></model>", "Swift knows"),
    ])
    func modelsWithErrorsThrow(contents: String, word: String) {
        let error = #expect(throws: ModelSourceError.self) { try files(contents) }
        #expect(error?.errorDescription?.contains(word) == true)
    }
}
