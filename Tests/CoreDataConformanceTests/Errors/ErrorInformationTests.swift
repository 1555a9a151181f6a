import CoreData
import TestSupport
import Testing

/// What errors carry, read by the properties of `CocoaError`.
@Suite struct ErrorInformationTests {
    @Test(arguments: StoreKind.allCases)
    func aValidationErrorNamesObjectKeyAndValue(kind: StoreKind) throws {
        let model = SampleModel.make()
        let age = try #require(model.entitiesByName["Person"]?.attributesByName["age"])
        let predicate = NSPredicate(format: "SELF >= 0")
        age.setValidationPredicates([predicate], withValidationWarnings: ["No one is that young."])
        try withContext(kind, model: model) { context throws in
            let person = context.make("Person", ["name": "A", "age": -4])
            let error = try #require(caughtError(context.save) as? CocoaError)
            #expect(error.validationObject as? NSManagedObject === person)
            #expect(error.validationKey == "age" && error.validationValue as? Int == -4)
            #expect(error.validationPredicate == predicate)
            #expect(error.persistentStoreSaveConflicts == nil && error.affectedObjects == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aConflictingSaveCarriesItsConflicts(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            let tag = try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                try context.save()
                tag.setValue("b", forKey: "label")
                return tag
            }
            _ = try didSave(of: stack.makeContext()) {
                try $0.only("Tag").setValue("c", forKey: "label")
            }
            try context.onQueue {
                let error = try #require(caughtError(context.save) as? CocoaError)
                #expect(error.code == .managedObjectMerge)
                let conflict = try #require(error.persistentStoreSaveConflicts?.first)
                #expect(conflict.sourceObject === tag)
                #expect(conflict.objectSnapshot?["label"] as? String == "b")
                #expect(conflict.cachedSnapshot?["label"] as? String == "c")
                #expect(conflict.newVersionNumber == conflict.oldVersionNumber + 1)
            }
        }
    }

    @Test func storesAndObjectsComeFromTheUserInfo() throws {
        let stack = try TestStack(.inMemory)
        let error = CocoaError(
            .persistentStoreOperation,
            userInfo: [
                NSAffectedStoresErrorKey: stack.coordinator.persistentStores,
                NSAffectedObjectsErrorKey: [stack.coordinator],
            ]
        )
        #expect(error.affectedStores?.first === stack.coordinator.persistentStores.first)
        #expect(error.affectedObjects?.first === stack.coordinator)
        #expect(error.validationKey == nil && error.validationObject == nil)
    }
}
