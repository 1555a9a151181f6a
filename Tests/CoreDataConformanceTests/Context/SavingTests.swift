import CoreData
import TestSupport
import Testing

@Suite struct SavingTests {
    @Test(arguments: StoreKind.allCases)
    func savedValuesOfEveryTypeComeBackInAnotherContext(kind: StoreKind) throws {
        let stack = try TestStack(kind)
        let context = stack.makeContext()
        let identifier = UUID(), born = Date(timeIntervalSinceReferenceDate: -1234.5)
        try context.onQueue {
            let person = NSEntityDescription.insertNewObject(
                forEntityName: "Employee",
                into: context
            )
            person.setValue("Zoë", forKey: "name")
            person.setValue(42, forKey: "age")
            person.setValue(1.83, forKey: "height")
            person.setValue(false, forKey: "isActive")
            person.setValue(born, forKey: "born")
            person.setValue(identifier, forKey: "identifier")
            person.setValue(NSDecimalNumber(string: "10.11"), forKey: "balance")
            person.setValue(Data([0, 1, 255]), forKey: "photo")
            person.setValue(URL(string: "https://example.org/a?b=c"), forKey: "homepage")
            person.setValue(Int64.max, forKey: "salary")
            #expect(person.objectID.isTemporaryID)
            try context.save()
            #expect(!person.objectID.isTemporaryID)
            #expect(!context.hasChanges)
        }
        let other = stack.makeContext()
        try other.onQueue {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            let people = try other.fetch(request)
            #expect(people.count == 1)
            let person = try #require(people.first)
            #expect(person.isFault)
            #expect(person.entity.name == "Employee")
            #expect(person.value(forKey: "name") as? String == "Zoë")
            #expect(!person.isFault)
            #expect(person.value(forKey: "age") as? Int == 42)
            #expect(person.value(forKey: "height") as? Double == 1.83)
            #expect(person.value(forKey: "isActive") as? Bool == false)
            #expect(person.value(forKey: "born") as? Date == born)
            #expect(person.value(forKey: "identifier") as? UUID == identifier)
            #expect(
                person.value(forKey: "balance") as? NSDecimalNumber
                    == NSDecimalNumber(string: "10.11")
            )
            #expect(person.value(forKey: "photo") as? Data == Data([0, 1, 255]))
            #expect(
                person.value(forKey: "homepage") as? URL == URL(string: "https://example.org/a?b=c")
            )
            #expect(person.value(forKey: "salary") as? Int64 == Int64.max)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func settingOneEndOfARelationshipSetsTheOther(kind: StoreKind) throws {
        let stack = try TestStack(kind)
        let context = stack.makeContext()
        try context.onQueue {
            let department = NSEntityDescription.insertNewObject(
                forEntityName: "Department",
                into: context
            )
            department.setValue("Research", forKey: "name")
            for index in 0..<3 {
                let person = NSEntityDescription.insertNewObject(
                    forEntityName: "Person",
                    into: context
                )
                person.setValue("p\(index)", forKey: "name")
                person.setValue(department, forKey: "department")
            }
            #expect((department.value(forKey: "people") as? NSSet)?.count == 3)
            try context.save()
        }
        let other = stack.makeContext()
        try other.onQueue {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(
                format: "department.name == %@ AND name BEGINSWITH %@",
                "Research",
                "p"
            )
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            let people = try other.fetch(request)
            #expect(people.map { $0.value(forKey: "name") as? String } == ["p2", "p1", "p0"])
            let department = try #require(
                people.first?.value(forKey: "department") as? NSManagedObject
            )
            #expect((department.value(forKey: "people") as? Set<NSManagedObject>) == Set(people))
            other.delete(department)
            try other.save()
            #expect(
                try other.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) == 0
            )
        }
    }
}
