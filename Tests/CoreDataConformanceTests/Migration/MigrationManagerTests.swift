import CoreData
import TestSupport
import Testing

/// Migration object by object, by mapping models made in code.
@Suite struct MigrationManagerTests {
    // MARK: Models

    private static func attribute(
        _ name: String,
        _ type: NSAttributeType = .stringAttributeType,
        isOptional: Bool = true,
        default value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        attribute.defaultValue = value
        return attribute
    }

    private static func entity(
        _ name: String,
        _ properties: [NSPropertyDescription]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    private static func relate(
        _ one: NSEntityDescription,
        _ name: String,
        _ many: NSEntityDescription,
        _ back: String
    ) {
        let forward = NSRelationshipDescription(), inverse = NSRelationshipDescription()
        forward.name = name
        inverse.name = back
        forward.destinationEntity = many
        inverse.destinationEntity = one
        inverse.maxCount = 1
        forward.inverseRelationship = inverse
        inverse.inverseRelationship = forward
        one.properties.append(forward)
        many.properties.append(inverse)
    }

    private static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// Team 1 ↔ n Person (fullName).
    private static func oldModel() -> NSManagedObjectModel {
        let team = entity("Team", [attribute("name")])
        let person = entity(
            "Person",
            [attribute("fullName"), attribute("age", .integer32AttributeType)]
        )
        relate(team, "members", person, "team")
        return model([team, person])
    }

    /// Group 1 ↔ n Person (first, last, level).
    private static func newModel() -> NSManagedObjectModel {
        let group = entity("Group", [attribute("title")])
        let person = entity(
            "Person",
            [
                attribute("first"), attribute("last"),
                attribute("level", .integer32AttributeType, isOptional: false, default: 1),
            ]
        )
        relate(group, "people", person, "group")
        return model([group, person])
    }

    // MARK: Mappings

    private static func property(_ name: String, _ format: String?) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = format.map { NSExpression(format: $0) }
        return mapping
    }

    private static func mapping(
        _ source: String,
        _ destination: String,
        policy: NSEntityMigrationPolicy.Type? = nil,
        attributes: [NSPropertyMapping],
        relationships: [NSPropertyMapping]
    ) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "\(source)To\(destination)"
        mapping.mappingType = .customEntityMappingType
        mapping.sourceEntityName = source
        mapping.destinationEntityName = destination
        mapping.entityMigrationPolicyClassName = policy.map { NSStringFromClass($0) }
        mapping.attributeMappings = attributes
        mapping.relationshipMappings = relationships
        return mapping
    }

    private static func teams() -> NSEntityMapping {
        mapping(
            "Team",
            "Group",
            attributes: [property("title", "uppercase:($source.name)")],
            relationships: [
                property(
                    "people",
                    "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:"
                        + "sourceInstances:\", \"PersonToPerson\", $source.members)"
                )
            ]
        )
    }

    private static func people(_ policy: NSEntityMigrationPolicy.Type? = NamePolicy.self)
        -> NSEntityMapping
    {
        mapping(
            "Person",
            "Person",
            policy: policy,
            attributes: [
                property("first", "$source.fullName"), property("last", nil),
                property("level", "$source.age / 10"),
            ],
            relationships: [
                property(
                    "group",
                    "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:"
                        + "sourceInstances:\", \"TeamToGroup\", $source.team)"
                )
            ]
        )
    }

    private static func mappingModel(_ mappings: [NSEntityMapping]) -> NSMappingModel {
        let model = NSMappingModel()
        model.entityMappings = mappings
        return model
    }

    // MARK: Stores

    private func withStore(
        _ model: NSManagedObjectModel,
        _ body: (_ source: URL, _ destination: URL) throws -> Void
    ) throws {
        let stack = try TestStack(.sqlite, model: model)
        let context = stack.makeContext()
        try context.onQueue {
            let team = context.make("Team", ["name": "red"])
            for (name, age) in [("Ada Lovelace", 36), ("Alan Turing", 41)] {
                context.make("Person", ["fullName": name, "age": age, "team": team])
            }
            context.make("Person", ["fullName": "Grace Hopper", "age": 85])
            try context.save()
        }
        let store = try #require(stack.coordinator.persistentStores.first)
        try stack.coordinator.remove(store)
        let destination = stack.url.deletingLastPathComponent()
            .appendingPathComponent("New.sqlite")
        try withExtendedLifetime(stack) { try body(stack.url, destination) }
    }

    private func migrate(
        _ manager: NSMigrationManager,
        _ mapping: NSMappingModel?,
        _ source: URL,
        _ destination: URL,
        sourceOptions: [AnyHashable: Any]? = nil
    ) throws {
        try manager.migrateStore(
            from: source,
            sourceType: NSSQLiteStoreType,
            options: sourceOptions,
            with: mapping,
            toDestinationURL: destination,
            destinationType: NSSQLiteStoreType,
            destinationOptions: nil
        )
    }

    private func read<Result>(
        _ model: NSManagedObjectModel,
        _ url: URL,
        _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: nil
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let result = try context.onQueue { try body(context) }
        try coordinator.remove(store)
        return result
    }

    /// Classes are those of the program's present model. Apple's guide to migration: "the class of all
    /// entities is changed to NSManagedObject".
    @Test func objectsOfAMigrationAreOfNoClientsClass() throws {
        let source = Self.oldModel(), destination = Self.newModel()
        for model in [source, destination] {
            model.entitiesByName["Person"]?.managedObjectClassName = NSStringFromClass(Lively.self)
        }
        try withStore(source) { url, new in
            let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
            let people = Self.people(ClassPolicy.self)
            people.attributeMappings = [Self.property("level", "$source.age / 10")]
            people.relationshipMappings = []
            try migrate(manager, Self.mappingModel([people]), url, new)
        }
    }

    private func check(_ model: NSManagedObjectModel, _ url: URL) throws {
        try read(model, url) { context in
            let people = try context.all("Person", sortedBy: "first")
            #expect(people.map { $0.text("first") } == ["Ada", "Alan", "Grace"])
            #expect(people.map { $0.text("last") } == ["Lovelace", "Turing", "Hopper"])
            #expect(people.map { $0.integer("level") } == [3, 4, 8])
            #expect(people.map { $0.one("group")?.text("title") } == ["RED", "RED", nil])
            #expect(try context.only("Group").set("people").count == 2)
        }
    }

    // MARK: Tests

    @Test func aPolicyMakesObjectsInItsOwnWay() throws {
        let old = Self.oldModel(), new = Self.newModel()
        try withStore(old) { source, destination in
            let before = try Data(contentsOf: source)
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            let calls = CallLog()
            manager.userInfo = ["calls": calls]
            let mapping = Self.mappingModel([Self.teams(), Self.people()])
            try migrate(manager, mapping, source, destination)
            try check(new, destination)
            #expect(manager.migrationProgress == 1)
            #expect(
                calls.names == [
                    "begin", "create", "create", "create", "endInstances", "relate", "relate",
                    "relate", "endRelationships", "validate", "end",
                ]
            )
            #expect(calls.progress == calls.progress.sorted())
            #expect(calls.progress.allSatisfy { $0 < 1 })
            #expect(try Data(contentsOf: source) == before)
        }
    }

    @Test func progressIsObserved() throws {
        let old = Self.oldModel(), new = Self.newModel()
        try withStore(old) { source, destination in
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            manager.userInfo = ["calls": CallLog()]
            var told: [Float] = []
            let observation = manager.observe(\.migrationProgress, options: [.new]) { _, change in
                told.append(change.newValue ?? -1)
            }
            try migrate(
                manager,
                Self.mappingModel([Self.teams(), Self.people()]),
                source,
                destination
            )
            observation.invalidate()
            #expect(told.count > 2)
            #expect(told == told.sorted())
            #expect(told.last == 1)
        }
    }

    @Test func severalPassesMakeOneStore() throws {
        let old = Self.oldModel(), new = Self.newModel()
        try withStore(old) { source, destination in
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            manager.userInfo = ["calls": CallLog()]
            let teams = Self.teams()
            teams.relationshipMappings = nil
            try migrate(manager, Self.mappingModel([teams]), source, destination)
            try migrate(manager, Self.mappingModel([Self.people()]), source, destination)
            try check(new, destination)
            #expect(
                manager.destinationInstances(
                    forEntityMappingName: "none",
                    sourceInstances: nil
                ).isEmpty
            )
        }
    }

    @Test func aSourceExpressionChoosesObjects() throws {
        let old = Self.oldModel(), new = Self.newModel()
        try withStore(old) { source, destination in
            let people = Self.people(nil)
            people.relationshipMappings = nil
            people.sourceExpression = NSFetchRequestExpression.expression(
                forFetch: NSExpression(
                    format: "FUNCTION($manager, \"fetchRequestForSourceEntityNamed:"
                        + "predicateString:\", \"Person\", \"age > 40\")"
                ),
                context: NSExpression(format: "$manager.sourceContext"),
                countOnly: false
            )
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            try migrate(manager, Self.mappingModel([people]), source, destination)
            try read(new, destination) { context in
                let people = try context.all("Person", sortedBy: "first")
                #expect(people.map { $0.text("first") } == ["Alan Turing", "Grace Hopper"])
            }
        }
    }

    @Test func cancellingLeavesNoDestination() throws {
        struct Stopped: Error {}
        let old = Self.oldModel(), new = Self.newModel()
        try withStore(old) { source, destination in
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            let calls = CallLog()
            calls.action = { if $0 == 2 { manager.cancelMigrationWithError(Stopped()) } }
            manager.userInfo = ["calls": calls]
            let mapping = Self.mappingModel([Self.teams(), Self.people()])
            #expect(throws: Stopped.self) { try migrate(manager, mapping, source, destination) }
            #expect(!FileManager.default.fileExists(atPath: destination.path))
            #expect(calls.names == ["begin", "create", "create"])
            calls.action = nil
            try migrate(manager, mapping, source, destination)
            try check(new, destination)
        }
    }

    /// As policies do that give up large values of the source while they are copied.
    @Test func aPolicyWritesToASourceThatIsOpenedForIt() throws {
        let old = Self.oldModel(), new = Self.newModel()
        for isReadOnly in [true, false] {
            try withStore(old) { source, destination in
                let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
                let calls = CallLog()
                calls.action = { count in
                    guard count == 1 else { return }
                    try manager.sourceContext.all("Team").forEach(manager.sourceContext.delete)
                    try manager.sourceContext.save()
                }
                manager.userInfo = ["calls": calls]
                let mapping = Self.mappingModel([Self.teams(), Self.people()])
                let options = [NSReadOnlyPersistentStoreOption: isReadOnly]
                let teams: Int
                do {
                    try migrate(manager, mapping, source, destination, sourceOptions: options)
                    #expect(!isReadOnly)
                    teams = 0
                } catch {
                    #expect(isReadOnly && (error as? CocoaError)?.code.rawValue == 513)
                    teams = 1
                }
                let left = try read(old, source) { try $0.number("Team") }
                #expect(left == teams)
            }
        }
    }

    @Test func whatAPolicyThrowsEndsTheMigration() throws {
        struct Refused: Error {}
        let old = Self.oldModel(), new = Self.newModel()
        try withStore(old) { source, destination in
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            let calls = CallLog()
            calls.action = { _ in throw Refused() }
            manager.userInfo = ["calls": calls]
            let mapping = Self.mappingModel([Self.teams(), Self.people()])
            #expect(throws: Refused.self) { try migrate(manager, mapping, source, destination) }
            #expect(!FileManager.default.fileExists(atPath: destination.path))
        }
    }

    @Test func mappingsThatFitNothingAreNamed() throws {
        let old = Self.oldModel(), new = Self.newModel()
        try withStore(old) { source, destination in
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            func code(_ mapping: NSEntityMapping?) -> Int? {
                errorCode {
                    let model = mapping.map { Self.mappingModel([$0]) }
                    try migrate(manager, model, source, destination)
                }
            }
            #expect(code(nil) == NSMigrationMissingMappingModelError)
            let nobody = Self.people(nil)
            nobody.entityMigrationPolicyClassName = "Nobody.Policy"
            #expect(code(nobody) == NSEntityMigrationPolicyError)
            let stranger = Self.people(nil)
            stranger.attributeMappings = [Self.property("none", "$source.age")]
            #expect(code(stranger) == NSEntityMigrationPolicyError)
            let unknown = Self.people(nil)
            unknown.attributeMappings = [Self.property("first", "$source.none")]
            #expect(code(unknown) == NSEntityMigrationPolicyError)
            let other = NSMigrationManager(sourceModel: new, destinationModel: new)
            let failure = errorCode {
                try migrate(other, Self.mappingModel([Self.teams()]), source, destination)
            }
            #expect(failure == NSMigrationManagerSourceStoreError)
            #expect(!FileManager.default.fileExists(atPath: destination.path))
        }
    }

    @Test func anInferredMappingCarriesAllOver() throws {
        let old = Self.oldModel()
        let team = Self.entity("Club", [Self.attribute("name")])
        team.renamingIdentifier = "Team"
        let person = Self.entity(
            "Person",
            [
                Self.attribute("fullName"),
                Self.attribute("years", .integer32AttributeType, isOptional: false, default: 7),
                Self.attribute("kind", isOptional: false, default: "plain"),
            ]
        )
        person.attributesByName["years"]?.renamingIdentifier = "age"
        Self.relate(team, "members", person, "team")
        let new = Self.model([team, person])
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old,
            destinationModel: new
        )
        #expect(mapping.entityMappings.count == 2)
        #expect(
            mapping.entityMappingsByName.values.allSatisfy {
                $0.mappingType == .transformEntityMappingType
            }
        )
        try withStore(old) { source, destination in
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            try migrate(manager, mapping, source, destination)
            try read(new, destination) { context in
                let people = try context.all("Person", sortedBy: "fullName")
                #expect(people.map { $0.integer("years") } == [36, 41, 85])
                #expect(people.map { $0.text("kind") } == ["plain", "plain", "plain"])
                #expect(people.map { $0.one("team")?.text("name") } == ["red", "red", nil])
            }
        }
    }

    @Test func anInferredMappingTellsWhatBecomesOfProperties() throws {
        let old = Self.model([
            Self.entity("A", [Self.attribute("x"), Self.attribute("y"), Self.attribute("z")])
        ])
        let renamed = Self.attribute("v")
        renamed.renamingIdentifier = "z"
        let new = Self.model([
            Self.entity("A", [Self.attribute("x"), Self.attribute("w"), renamed])
        ])
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old,
            destinationModel: new
        )
        let info = try #require(mapping.entityMappings.first?.userInfo as? [String: Set<String>])
        #expect(info["mappedProperties"] == ["x", "v"])
        #expect(info["addedProperties"] == ["w"])
        #expect(info["removedProperties"] == ["y"])
    }

    @Test func whatCannotBeInferredIsNamed() {
        let old = Self.model([Self.entity("A", [Self.attribute("x")])])
        let new = Self.model([Self.entity("A", [Self.attribute("x", .doubleAttributeType)])])
        let error = caughtError {
            _ = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        }
        #expect(error?.code == NSInferredMappingModelError)
        #expect(error?.userInfo["entity"] as? String == "A")
        #expect(error?.userInfo["property"] as? String == "x")
    }

    // MARK: Equality

    @Test func mappingsThatSayTheSameAreEqual() throws {
        let one = try NSMappingModel.inferredMappingModel(
            forSourceModel: Self.oldModel(),
            destinationModel: Self.oldModel()
        )
        let other = try NSMappingModel.inferredMappingModel(
            forSourceModel: Self.oldModel(),
            destinationModel: Self.oldModel()
        )
        #expect(one == other)
        #expect(one.hash == other.hash)
        #expect(one.entityMappings == other.entityMappings)
        #expect(Set(one.entityMappings + other.entityMappings).count == 2)
        let mapping = try #require(other.entityMappings.first?.attributeMappings?.first)
        mapping.valueExpression = NSExpression(forConstantValue: "x")
        #expect(one != other)
        #expect(one.entityMappings.first?.attributeMappings?.first != mapping)
    }

    private static let changes: [@Sendable (NSEntityMapping) -> Void] = [
        { $0.name = "other" }, { $0.mappingType = .copyEntityMappingType },
        { $0.entityMigrationPolicyClassName = "Policy" }, { $0.userInfo = ["a": 1] },
        { $0.sourceExpression = NSExpression(forConstantValue: 1) }, { $0.attributeMappings = [] },
    ]

    @Test(arguments: 0..<changes.count)
    func eachPartOfAMappingCounts(part: Int) {
        let one = NSEntityMapping(), other = NSEntityMapping()
        #expect(one == other)
        Self.changes[part](other)
        #expect(one != other)
    }
}
