import Testing

@testable import CoreData

/// The hashes are Apple's, as stores and compiled models have them.
@Suite struct ModelVersionTests {
    @Test func theTemplatesEventHasTheHashOfCountlessStores() {
        let timeStamp = NSAttributeDescription()
        timeStamp.name = "timeStamp"
        timeStamp.attributeType = .dateAttributeType
        let event = NSEntityDescription()
        event.name = "Event"
        event.properties = [timeStamp]
        #expect(
            ModelVersion.baseHash(of: timeStamp).hexadecimal
                == "ca73ec512520dc367fe3d41cb08cbf1e6bfdfd9a275cb8c19c732f8edfd9c797"
        )
        #expect(
            timeStamp.versionHash.hexadecimal
                == "f9ab6fc10a4f5ed1f08a9467563526463ee199e5dde15bdaabfb057b4bca142a"
        )
        #expect(
            event.versionHash.hexadecimal
                == "5431c046d30e7f32c2cc809958add1e7579ad104a3aa8fc4846e97d7af01cc79"
        )
    }

    @Test func whatStoresNeedNotKnowHasNoInfluence() {
        func hash(_ change: (NSAttributeDescription, NSEntityDescription) -> Void) -> Data {
            let attribute = NSAttributeDescription()
            attribute.name = "name"
            attribute.attributeType = .stringAttributeType
            let entity = NSEntityDescription()
            entity.name = "Note"
            entity.properties = [attribute]
            change(attribute, entity)
            return entity.versionHash
        }
        let plain = hash { _, _ in }
        #expect(plain == hash { attribute, _ in attribute.defaultValue = "x" })
        #expect(plain == hash { attribute, _ in attribute.renamingIdentifier = "title" })
        #expect(plain == hash { _, entity in entity.managedObjectClassName = "App.Note" })
        #expect(plain == hash { _, entity in entity.userInfo = ["key": "value"] })
        #expect(plain != hash { attribute, _ in attribute.isOptional = false })
        #expect(plain != hash { attribute, _ in attribute.versionHashModifier = "2" })
        #expect(plain != hash { _, entity in entity.versionHashModifier = "2" })
        #expect(plain != hash { _, entity in entity.uniquenessConstraints = [["name"]] })
        #expect(plain != hash { _, entity in entity.isAbstract = true })
    }

    /// A store of Apple's framework of a model that has them the other way round could not be opened.
    @Test(arguments: [["syncIdentifier", "uuid"], ["uuid", "syncIdentifier"]])
    func theOrderOfUniquenessConstraintsHasNoInfluence(names: [String]) {
        let identifier = NSAttributeDescription(), uuid = NSAttributeDescription()
        identifier.name = "syncIdentifier"
        identifier.attributeType = .stringAttributeType
        uuid.name = "uuid"
        uuid.attributeType = .UUIDAttributeType
        let entity = NSEntityDescription()
        entity.name = "Sample"
        entity.properties = [uuid, identifier]
        entity.uniquenessConstraints = names.map { [$0] }
        // Worked out by Python's hashlib, by a script that gives those of Apple's framework as well.
        #expect(
            entity.versionHash.hexadecimal
                == "00420687730ab02002c752d771f1fc3b3b426f7a457307ae31093c229b405553"
        )
    }

    @Test func aStoreFitsIfAllHashesAreEqual() {
        let model = NSManagedObjectModel()
        let note = NSEntityDescription()
        note.name = "Note"
        let tag = NSEntityDescription()
        tag.name = "Tag"
        model.entities = [note, tag]
        model.setEntities([note], forConfigurationName: "Notes")
        let whole = [ModelVersion.metadataKey: model.entityVersionHashesByName]
        let part = [ModelVersion.metadataKey: ["Note": note.versionHash]]
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: whole))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: part))
        #expect(model.isConfiguration(withName: "Notes", compatibleWithStoreMetadata: part))
        #expect(!model.isConfiguration(withName: "None", compatibleWithStoreMetadata: part))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
        tag.isAbstract = true
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: whole))
    }
}
