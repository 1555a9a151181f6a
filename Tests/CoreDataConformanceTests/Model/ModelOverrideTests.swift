import CoreData
import Testing

private final class OwnModel: NSManagedObjectModel, @unchecked Sendable {
    override var entitiesByName: [String: NSEntityDescription] { [:] }
    override var entities: [NSEntityDescription] {
        get { super.entities }
        set { super.entities = newValue.reversed() }
    }
    override var configurations: [String] { ["Own"] }
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    override var versionChecksum: String { "checksum" }
    override var entityVersionHashesByName: [String: Data] { ["Own": Data([1])] }
    override var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        ["Own": NSFetchRequest<any NSFetchRequestResult>(entityName: "Own")]
    }
    override func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        nil
    }
    override func fetchRequestTemplate(
        forName name: String
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        NSFetchRequest(entityName: name)
    }
    override func fetchRequestFromTemplate(
        withName name: String,
        substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        NSFetchRequest(entityName: "\(name)\(variables.count)")
    }
    override func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?,
        forName name: String
    ) {
        super.setFetchRequestTemplate(fetchRequestTemplate, forName: name.uppercased())
    }
    override func isConfiguration(
        withName configuration: String?,
        compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool { true }
    override class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        OwnModel()
    }
    override class func mergedModel(
        from bundles: [Bundle]?,
        forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? { OwnModel() }
}

private final class OwnEntity: NSEntityDescription, @unchecked Sendable {
    static let model = Held(NSManagedObjectModel())

    override var managedObjectModel: NSManagedObjectModel { OwnEntity.model.value }
    override var superentity: NSEntityDescription? { self }
    override var subentitiesByName: [String: NSEntityDescription] { ["Own": self] }
    override var propertiesByName: [String: NSPropertyDescription] {
        ["own": NSPropertyDescription()]
    }
    override var attributesByName: [String: NSAttributeDescription] {
        ["own": NSAttributeDescription()]
    }
    override var relationshipsByName: [String: NSRelationshipDescription] {
        ["own": NSRelationshipDescription()]
    }
    override func isKindOf(entity: NSEntityDescription) -> Bool { true }
}

private final class OwnIndex: NSFetchIndexDescription, @unchecked Sendable {
    override var entity: NSEntityDescription? { OwnEntity() }
}

private final class OwnIndexElement: NSFetchIndexElementDescription, @unchecked Sendable {
    override var property: NSPropertyDescription? { nil }
    override var propertyName: String? { "own" }
    override var indexDescription: NSFetchIndexDescription? { OwnIndex(name: "o", elements: nil) }
}

/// Holds what is not Sendable for a class property that no test changes.
private struct Held<Value>: @unchecked Sendable {
    // @unchecked: never changed.
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// What Apple's framework lets clients override of models can be overridden.
@Suite struct ModelOverrideTests {
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func modelsMayHaveAChecksumOfTheirOwn() {
        let model: NSManagedObjectModel = OwnModel()
        #expect(model.versionChecksum == "checksum")
    }

    @Test func modelsMayAnswerForThemselves() throws {
        let model: NSManagedObjectModel = OwnModel()
        let one = NSEntityDescription(), other = NSEntityDescription()
        one.name = "One"
        other.name = "Other"
        model.entities = [one, other]
        #expect(model.entities.map(\.name) == ["Other", "One"])
        #expect(model.entitiesByName.isEmpty)
        #expect(model.configurations == ["Own"])
        #expect(model.entities(forConfigurationName: nil) == nil)
        #expect(model.entityVersionHashesByName == ["Own": Data([1])])
        #expect(model.isConfiguration(withName: "None", compatibleWithStoreMetadata: [:]))
        let type: NSManagedObjectModel.Type = OwnModel.self
        #expect(type.mergedModel(from: nil) is OwnModel)
        #expect(type.mergedModel(from: nil, forStoreMetadata: [:]) is OwnModel)
    }

    @Test func modelsMayMakeTheirTemplates() {
        let model: NSManagedObjectModel = OwnModel()
        #expect(model.fetchRequestTemplate(forName: "A")?.entityName == "A")
        let filled = model.fetchRequestFromTemplate(
            withName: "A",
            substitutionVariables: ["x": 1]
        )
        #expect(filled?.entityName == "A1")
        #expect(Array(model.fetchRequestTemplatesByName.keys) == ["Own"])
        model.setFetchRequestTemplate(NSFetchRequest(entityName: "A"), forName: "a")
    }

    @Test func entitiesMayAnswerForThemselves() {
        let entity: NSEntityDescription = OwnEntity()
        #expect(entity.managedObjectModel === OwnEntity.model.value)
        #expect(entity.superentity === entity)
        #expect(entity.subentitiesByName["Own"] === entity)
        #expect(entity.propertiesByName.count == 1)
        #expect(entity.attributesByName.count == 1)
        #expect(entity.relationshipsByName.count == 1)
        #expect(entity.isKindOf(entity: NSEntityDescription()))
    }

    @Test func indexesMayAnswerForThemselves() {
        let property = NSAttributeDescription()
        property.name = "name"
        let element: NSFetchIndexElementDescription =
            OwnIndexElement(property: property, collationType: .binary)
        #expect(element.property == nil)
        #expect(element.propertyName == "own")
        #expect(element.indexDescription?.name == "o")
        #expect(element.indexDescription?.entity is OwnEntity)
    }
}
