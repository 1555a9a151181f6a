import CoreData
import TestSupport
import Testing

/// An object with a rule of its own: texts are trimmed and must not be "bad".
final class Checked: NSManagedObject {
    var calls: [String] = []

    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        try super.validateValue(&value, forKey: key)
        calls.append(key)
        guard key == "text", let text = value as? String else { return }
        if text == "bad" {
            throw NSError(domain: "Checked", code: 7)
        }
        value = text.trimmingCharacters(in: .whitespaces)
    }

    static func model() -> NSManagedObjectModel {
        let entity = RulesModel.entity(
            "Checked",
            ["text": .stringAttributeType, "count": .integer32AttributeType]
        )
        entity.propertiesByName["count"]?.isOptional = false
        entity.managedObjectClassName = NSStringFromClass(Checked.self)
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}

/// The second object of a save that is asked breaks the first one.
final class Breaking: NSManagedObject {
    weak var first: Breaking?

    override func validateForInsert() throws {
        try super.validateForInsert()
        let others = managedObjectContext?.insertedObjects.compactMap { $0 as? Breaking } ?? []
        if let known = others.lazy.compactMap(\.first).first {
            if known !== self { known.setValue(nil, forKey: "count") }
        } else {
            for other in others { other.first = self }
        }
    }
}

/// An object that contexts of the name "guarded" must not delete.
final class Kept: NSManagedObject {
    override func validateForDelete() throws {
        try super.validateForDelete()
        if managedObjectContext?.name == "guarded" { throw NSError(domain: "Kept", code: 1) }
    }
}

@Suite struct ValidationHookTests {
    @Test(arguments: StoreKind.allCases)
    func whatOthersHaveDeletedIsNoDeletionToAskAbout(kind: StoreKind) throws {
        let model = Checked.model()
        model.entitiesByName["Checked"]?.managedObjectClassName = NSStringFromClass(Kept.self)
        try withStack(kind, model: model) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            context.name = "guarded"
            try context.onQueue {
                let kept = context.make("Checked", ["text": "ok", "count": 1])
                try context.save()
                context.delete(kept)
                #expect(caughtError { try context.save() }?.domain == "Kept")
                context.mergeChanges(
                    fromContextDidSave: try didSave(of: other) { $0.delete(try $0.only("Checked")) }
                )
                try context.save()
                #expect(try !context.hasChanges && context.number("Checked") == 0)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatValidationChangesIsValidated(kind: StoreKind) throws {
        let model = Checked.model()
        model.entitiesByName["Checked"]?.managedObjectClassName = NSStringFromClass(Breaking.self)
        try withContext(kind, model: model) { context in
            for count in 1...2 { context.make("Checked", ["text": "ok", "count": count]) }
            let error = caughtError { try context.save() }
            #expect(error?.code == NSValidationMissingMandatoryPropertyError)
            #expect(context.insertedObjects.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func savesCallTheHookForEachProperty(kind: StoreKind) throws {
        try withContext(kind, model: Checked.model()) { context in
            let checked = try #require(
                context.make("Checked", ["text": "ok", "count": 1]) as? Checked
            )
            try context.save()
            #expect(Set(checked.calls) == ["text", "count"])
            checked.setValue("bad", forKey: "text")
            #expect(caughtError { try context.save() }?.domain == "Checked")
            checked.setValue(nil, forKey: "count")
            let error = caughtError { try context.save() }
            #expect(error?.code == NSValidationMultipleErrorsError)
            let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError]
            #expect(
                Set(details?.map(\.code) ?? []) == [7, NSValidationMissingMandatoryPropertyError]
            )
        }
    }

    @Test func valuesAreValidatedInPlaceThroughPointers() throws {
        try withContext(.inMemory, model: Checked.model()) { context in
            let checked = context.make("Checked", ["text": "ok", "count": 1])
            var some: AnyObject? = "  a " as AnyObject
            try withUnsafeMutablePointer(to: &some) { pointer in
                try checked.validateValue(
                    AutoreleasingUnsafeMutablePointer(pointer),
                    forKey: "text"
                )
            }
            #expect(some as? String == "a")
            var none: AnyObject?
            let error = caughtError {
                try withUnsafeMutablePointer(to: &none) { pointer in
                    try checked.validateValue(
                        AutoreleasingUnsafeMutablePointer(pointer),
                        forKey: "count"
                    )
                }
            }
            #expect(error?.code == NSValidationMissingMandatoryPropertyError)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theHookMayReplaceValues(kind: StoreKind) throws {
        try withContext(kind, model: Checked.model()) { context in
            let checked = context.make("Checked", ["text": "  a ", "count": 1])
            try context.save()
            #expect(checked.text("text") == "a" && !context.hasChanges)
            context.refresh(checked, mergeChanges: false)
            #expect(checked.text("text") == "a")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func valuesAreCheckedOnRequest(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A"])
            var value: Any? = "B"
            try person.validateValue(&value, forKey: "name")
            #expect(value as? String == "B")
            value = nil
            let code = errorCode { try person.validateValue(&value, forKey: "name") }
            #expect(code == NSValidationMissingMandatoryPropertyError)
            value = 7
            #expect(errorCode { try person.validateValue(&value, forKey: "name") } != nil)
            person.setValue(context.make("Department", ["name": "D"]), forKey: "department")
            value = nil
            let path = errorCode { try person.validateValue(&value, forKeyPath: "department.name") }
            #expect(path == NSValidationMissingMandatoryPropertyError)
        }
    }
}
