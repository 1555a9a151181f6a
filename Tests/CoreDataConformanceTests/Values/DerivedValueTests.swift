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
        department?.properties += [
            count, folded,
            derived("ageSum", .integer64AttributeType, "people.@sum.age"),
        ]
        model.entitiesByName["Person"]?.properties += [
            derived("departmentName", .stringAttributeType, "department.name"),
            derived("foldedDepartment", .stringAttributeType, "canonical:(department.name)"),
            derived("tagCount", .integer32AttributeType, "tags.@count"),
            derived("upperName", .stringAttributeType, "uppercase:(name)"),
            derived("lowerName", .stringAttributeType, "lowercase:(name)"),
            derived("savedAt", .dateAttributeType, "now()"),
        ]
        return model
    }

    private func derived(
        _ name: String,
        _ type: NSAttributeType,
        _ expression: String
    ) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
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

    /// Triggers change the rows of the other side without a new version.
    @Test func valuesThatFollowFromRowsOfAnotherCoordinatorAreFetched() throws {
        let model = model()
        try withStack(.sqlite, model: model) { stack in
            let context = stack.makeContext()
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: stack.url
            )
            other.persistentStoreCoordinator = coordinator
            try context.onQueue {
                let maths = context.make("Department", ["name": "Maths"])
                let ada = context.make("Person", ["name": "Ada", "age": 36, "department": maths])
                try context.save()
                context.refreshAllObjects()
                #expect(maths.integer("peopleCount") == 1 && maths.integer("ageSum") == 36)
                #expect(ada.text("departmentName") == "Maths")
                // The row stays in use by a context that fetches nothing.
                let holder = stack.makeContext()
                try holder.onQueue {
                    let held = try holder.only("Department")
                    #expect(held.integer("peopleCount") == 1)
                    try other.onQueue {
                        let department = try other.only("Department")
                        other.make("Person", ["name": "Bob", "age": 4, "department": department])
                        department.setValue("Arts", forKey: "name")
                        try other.save()
                        // Again without a new version of the department.
                        other.make("Person", ["name": "Cy", "age": 2, "department": department])
                        try other.save()
                    }
                    withExtendedLifetime(held) {}
                }
                let request = NSFetchRequest<NSManagedObject>(entityName: "Department")
                request.shouldRefreshRefetchedObjects = true
                #expect(try context.fetch(request) == [maths])
                #expect(maths.text("name") == "Arts")
                #expect(maths.integer("peopleCount") == 3 && maths.integer("ageSum") == 42)
                let people = NSFetchRequest<NSManagedObject>(entityName: "Person")
                people.shouldRefreshRefetchedObjects = true
                people.predicate = NSPredicate(format: "name == 'Ada'")
                #expect(try context.fetch(people) == [ada])
                #expect(ada.text("departmentName") == "Arts")
                try other.onQueue {
                    let department = try other.only("Department")
                    other.make("Person", ["name": "Di", "age": 8, "department": department])
                    try other.save()
                }
                #expect(try context.fetch(request) == [maths])
                #expect(maths.integer("peopleCount") == 4 && maths.integer("ageSum") == 50)
            }
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func sumsAndCopiesFollowTheRowsThatTheyAreMadeOf(kind: StoreKind) throws {
        try withContext(kind, model: model()) { context in
            let maths = context.make("Department", ["name": "Maths"])
            let arts = context.make("Department", ["name": "Arts"])
            let ada = context.make("Person", ["name": "Ada", "age": 36, "department": maths])
            let bob = context.make("Employee", ["name": "Bob", "age": 4, "department": maths])
            try context.save()
            func sums() -> [Int?] { [maths, arts].map { $0.integer("ageSum") } }
            func names() -> [String?] { [ada, bob].map { $0.text("departmentName") } }
            func refresh() { context.refreshAllObjects() }
            refresh()
            #expect(sums() == [40, 0] && names() == ["Maths", "Maths"])
            bob.setValue(6, forKey: "age")
            try context.save()
            refresh()
            #expect(sums() == [42, 0])
            bob.setValue(arts, forKey: "department")
            try context.save()
            refresh()
            #expect(sums() == [36, 6] && names() == ["Maths", "Arts"])
            maths.setValue("Logic", forKey: "name")
            try context.save()
            refresh()
            #expect(names() == ["Logic", "Arts"] && ada.text("foldedDepartment") == "logic")
            context.delete(bob)
            ada.setValue(nil, forKey: "department")
            try context.save()
            refresh()
            #expect(sums() == [0, 0] && ada.value(forKey: "departmentName") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func functionsAndManyToManyCountsAreDerived(kind: StoreKind) throws {
        try withContext(kind, model: model()) { context in
            let ada = context.make("Person", ["name": "Ada"])
            let tags = ["a", "b"].map { context.make("Tag", ["label": $0]) }
            ada.setValue(Set(tags), forKey: "tags")
            let before = Date()
            try context.save()
            context.refreshAllObjects()
            #expect(ada.integer("tagCount") == 2)
            #expect(ada.text("upperName") == "ADA" && ada.text("lowerName") == "ada")
            let saved = try #require(ada.value(forKey: "savedAt") as? Date)
            #expect(saved >= before.addingTimeInterval(-1))
            ada.setValue(Set([tags[0]]), forKey: "tags")
            try context.save()
            context.refreshAllObjects()
            #expect(ada.integer("tagCount") == 1)
        }
    }
}
