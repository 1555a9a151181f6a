import CoreData
import TestSupport
import Testing

@Suite struct DerivedValueTests {
    /// Departments that count their people and keep a name to search for.
    private func model() -> NSManagedObjectModel {
        let model = SampleModel.make()
        let count = NSDerivedAttributeDescription()
        count.name = "peopleCount"
        count.attributeType = .integer64AttributeType
        count.derivationExpression = NSExpression(forKeyPath: "people.@count")
        let folded = NSDerivedAttributeDescription()
        folded.name = "searchName"
        folded.attributeType = .stringAttributeType
        folded.derivationExpression = NSExpression(format: "canonical:(name)")
        let department = model.entitiesByName["Department"]
        department?.properties += [count, folded]
        return model
    }

    @Test(arguments: StoreKind.allCases)
    func savesBringDerivedValuesUpToDate(kind: StoreKind) throws {
        try withContext(kind, model: model()) { context in
            let department = context.make("Department", ["name": "Élan"])
            let person = context.make("Person", ["name": "A", "department": department])
            try context.save()
            #expect(department.integer("peopleCount") == 1)
            #expect(department.text("searchName") == "elan")
            context.make("Person", ["name": "B", "department": department])
            department.setValue("Ärger", forKey: "name")
            try context.save()
            #expect(department.integer("peopleCount") == 2)
            #expect(department.text("searchName") == "arger")
            context.delete(person)
            try context.save()
            #expect(department.integer("peopleCount") == 1 && !context.hasChanges)
            context.reset()
            let read = try context.only("Department")
            #expect(read.integer("peopleCount") == 1 && read.text("searchName") == "arger")
        }
    }
}
