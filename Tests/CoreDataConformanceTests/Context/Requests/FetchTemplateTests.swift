import CoreData
import TestSupport
import Testing

@Suite struct FetchTemplateTests {
    /// The sample model with a template that has a variable, and one that has none.
    private func model() -> NSManagedObjectModel {
        let model = SampleModel.make()
        let older = NSFetchRequest<any NSFetchRequestResult>()
        older.entity = model.entitiesByName["Person"]
        older.predicate = NSPredicate(format: "age > $AGE AND department.name IN $NAMES")
        older.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        model.setFetchRequestTemplate(older, forName: "older")
        let all = NSFetchRequest<any NSFetchRequestResult>()
        all.entity = model.entitiesByName["Tag"]
        model.setFetchRequestTemplate(all, forName: "all")
        return model
    }

    @Test(arguments: StoreKind.allCases)
    func variablesAreReplaced(kind: StoreKind) throws {
        try withStack(kind, model: model()) { stack throws in
            let context = stack.makeContext()
            try context.onQueue {
                try Staff.fill(context)
                let model = stack.coordinator.managedObjectModel
                func names(_ age: Int, _ departments: [String]) throws -> [String?] {
                    let request = try #require(
                        model.fetchRequestFromTemplate(
                            withName: "older",
                            substitutionVariables: ["AGE": age, "NAMES": departments]
                        )
                    )
                    return try context.fetch(request).map { ($0 as? NSManagedObject)?.text("name") }
                }
                let some = try names(29, ["A", "B"]), few = try names(45, ["A"])
                let none = try names(45, ["B"])
                #expect(some == ["Ann", "Bob", "Cleo", "Finn"] && few == ["Finn"] && none.isEmpty)
            }
        }
    }

    @Test func aRequestMadeFromATemplateIsACopy() throws {
        let model = model()
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "all", substitutionVariables: [:])
        )
        request.fetchLimit = 3
        #expect(model.fetchRequestTemplate(forName: "all")?.fetchLimit == 0)
        #expect(model.fetchRequestFromTemplate(withName: "none", substitutionVariables: [:]) == nil)
        #expect(Set(model.fetchRequestTemplatesByName.keys) == ["older", "all"])
        model.setFetchRequestTemplate(nil, forName: "all")
        #expect(Set(model.fetchRequestTemplatesByName.keys) == ["older"])
    }

    @Test(arguments: StoreKind.allCases)
    func aVariableWithoutAValueThrows(kind: StoreKind) throws {
        try withStack(kind, model: model()) { stack throws in
            let context = stack.makeContext()
            let request = try #require(
                stack.coordinator.managedObjectModel.fetchRequestTemplate(forName: "older")
            )
            context.onQueue {
                #expect(errorCode { _ = try context.fetch(request) } != nil)
                context.make("Person", ["name": "A", "age": 3])
                #expect(errorCode { _ = try context.fetch(request) } != nil)
            }
        }
    }
}

@Suite struct FetchedPropertyTests {
    /// The sample model, in which a person has those of the same department as `colleagues`.
    private func model() throws -> NSManagedObjectModel {
        let model = SampleModel.make()
        let person = try #require(model.entitiesByName["Person"])
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = person
        request.predicate = NSPredicate(
            format: "department == $FETCH_SOURCE.department AND SELF != $FETCH_SOURCE"
        )
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        let colleagues = NSFetchedPropertyDescription()
        colleagues.name = "colleagues"
        colleagues.fetchRequest = request
        person.properties += [colleagues]
        return model
    }

    @Test(arguments: StoreKind.allCases)
    func theValueIsWhatTheRequestFinds(kind: StoreKind) throws {
        try withContext(kind, model: try model()) { context throws in
            try Staff.fill(context)
            let people = try context.all("Person", sortedBy: "name")
            func names(_ person: NSManagedObject) -> [String?]? {
                (person.value(forKey: "colleagues") as? [NSManagedObject])?.map { $0.text("name") }
            }
            #expect(names(people[0]) == ["Finn", "Bob"])
            #expect(names(people[2]) == ["Dan"])
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func thePredicateMayAskTheProperty(kind: StoreKind) throws {
        let model = try model()
        let person = try #require(model.entitiesByName["Person"])
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = person
        request.predicate = NSPredicate(format: "age >= $FETCHED_PROPERTY.userInfo.limit")
        let elders = NSFetchedPropertyDescription()
        elders.name = "elders"
        elders.fetchRequest = request
        elders.userInfo = ["limit": 45]
        person.properties += [elders]
        try withContext(kind, model: model) { context throws in
            for (name, age) in [("Ada", 50), ("Grace", 45), ("Alan", 40)] {
                context.make("Person", ["name": name, "age": age])
            }
            try context.save()
            let someone = try #require(try context.all("Person").first)
            #expect((someone.value(forKey: "elders") as? [NSManagedObject])?.count == 2)
        }
    }

    /// "The fetched property is evaluated lazily and cached … use refresh(_:mergeChanges:)".
    @Test(arguments: StoreKind.allCases)
    func theValueIsKeptUntilTheObjectIsRefreshed(kind: StoreKind) throws {
        try withContext(kind, model: try model()) { context throws in
            try Staff.fill(context)
            let people = try context.all("Person", sortedBy: "name")
            func count() -> Int? {
                (people[2].value(forKey: "colleagues") as? [NSManagedObject])?.count
            }
            #expect(count() == 1)
            let department = try #require(people[2].value(forKey: "department"))
            _ = context.make("Person", ["name": "Zoe", "department": department])
            try context.save()
            #expect(count() == 1)
            context.refresh(people[2], mergeChanges: true)
            #expect(count() == 2)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func fetchedPropertiesAreProperties(kind: StoreKind) throws {
        try withContext(kind, model: try model()) { context throws in
            let person = context.make("Person", ["name": "A"])
            let colleagues = person.entity.propertiesByName["colleagues"]
            #expect((colleagues as? NSFetchedPropertyDescription)?.fetchRequest != nil)
            #expect(person.entity.attributesByName["colleagues"] == nil)
            #expect(person.entity.relationshipsByName["colleagues"] == nil)
            try context.save()
            #expect(person.changedValues().isEmpty)
        }
    }

    /// An object that has fetched itself ends with its context, as all others do.
    @Test(arguments: StoreKind.allCases)
    func whatWasFetchedOutlivesNoContext(kind: StoreKind) throws {
        let model = try model()
        weak var weakPerson: NSManagedObject?
        let request = model.entitiesByName["Person"]?.propertiesByName["colleagues"]
        (request as? NSFetchedPropertyDescription)?.fetchRequest?.predicate = NSPredicate(
            format: "name == $FETCH_SOURCE.name"
        )
        try withStack(kind, model: model) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "Ada"])
                try context.save()
                #expect((person.value(forKey: "colleagues") as? [NSManagedObject]) == [person])
                weakPerson = person
            }
        }
        #expect(weakPerson == nil)
    }

    @Test func anEntityWhosePropertyFetchesItEndsWithItsModel() throws {
        weak var entity: NSEntityDescription?
        do {
            let model = try model()
            let person = try #require(model.entitiesByName["Person"])
            let property = person.propertiesByName["colleagues"] as? NSFetchedPropertyDescription
            #expect(property?.fetchRequest?.entity === person)
            entity = person
        }
        #expect(entity == nil)
    }
}
