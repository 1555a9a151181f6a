import CoreData
import TestSupport
import Testing

@Suite struct KeyPathTests {
    /// A department of three people, aged 20, 30 and nil.
    private func makeDepartment(_ context: NSManagedObjectContext) -> NSManagedObject {
        let tag = context.make("Tag", ["label": "t"])
        let people = [("A", 20), ("B", 30), ("C", nil)].map { name, age -> NSManagedObject in
            let person = context.make("Person", ["name": name, "tags": Set([tag])])
            person.setValue(age, forKey: "age")
            return person
        }
        return context.make("Department", ["name": "D", "people": Set(people)])
    }

    @Test(arguments: StoreKind.allCases)
    func pathsLeadThroughRelationships(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = makeDepartment(context)
            let person = try #require(department.set("people").first)
            #expect(person.value(forKeyPath: "department.name") as? String == "D")
            #expect(person.value(forKeyPath: "name") as? String == person.text("name"))
            let names = department.value(forKeyPath: "people.name") as? Set<String>
            #expect(names == ["A", "B", "C"])
            let ages = try #require(department.value(forKeyPath: "people.age") as? NSSet)
            #expect(ages.count == 2)
            person.setValue("E", forKeyPath: "department.name")
            #expect(department.text("name") == "E")
            let alone = context.make("Person", ["name": "X"])
            #expect(alone.value(forKeyPath: "department.name") == nil)
            alone.setValue("F", forKeyPath: "department.name")
            #expect(department.text("name") == "E")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func operatorsCombineCollections(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = makeDepartment(context)
            func number(_ path: String) -> Double? {
                (department.value(forKeyPath: path) as? NSNumber)?.doubleValue
            }
            #expect(number("people.@count") == 3)
            #expect(number("people.@sum.age") == 50)
            #expect(number("people.@avg.age") == 25)
            #expect(number("people.@min.age") == 20)
            #expect(number("people.@max.age") == 30)
            #expect(number("people.@sum.height") == 0)
            #expect(department.value(forKeyPath: "people.@max.height") == nil)
            #expect(department.value(forKeyPath: "people.@max.name") as? String == "C")
            let empty = context.make("Department", ["name": "none"])
            #expect((empty.value(forKeyPath: "people.@avg.age") as? NSNumber)?.intValue == 0)
            let departments = department.value(
                forKeyPath: "people.@distinctUnionOfObjects.department"
            )
            #expect(departments as? Set<NSManagedObject> == [department])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func severalValuesComeAndGoAtOnce(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A", "age": 3])
            let values = person.dictionaryWithValues(forKeys: ["name", "age", "height"])
            #expect(values["name"] as? String == "A" && values["age"] as? Int == 3)
            #expect(values["height"] is NSNull)
            person.setValuesForKeys(["name": "B", "age": NSNull(), "height": 1.5])
            #expect(person.text("name") == "B" && person.value(forKey: "age") == nil)
            #expect(person.value(forKey: "height") as? Double == 1.5)
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    @Test(arguments: StoreKind.allCases)
    func subscriptsReadAndWriteValues(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "B", "height": 1.5])
            #expect(person["height"] as? Double == 1.5)
            person["name"] = "C"
            #expect(person.text("name") == "C")
        }
    }

    @Test func foundationsCollectionsTakePart() throws {
        let dictionary: NSMutableDictionary = ["a": NSMutableDictionary()]
        dictionary.setValue(1, forKeyPath: "a.b")
        #expect(dictionary.value(forKeyPath: "a.b") as? Int == 1)
        dictionary.setValue(nil, forKey: "a")
        #expect(dictionary.value(forKeyPath: "a.b") == nil)
        let rows = NSArray(array: [
            NSDictionary(dictionary: ["n": 1, "s": "x"]), NSDictionary(dictionary: ["n": 2]),
            NSDictionary(dictionary: ["n": 2]),
        ])
        #expect((rows.value(forKeyPath: "@sum.n") as? NSNumber)?.intValue == 5)
        #expect(rows.value(forKey: "n") as? [Int] == [1, 2, 2])
        #expect((rows.value(forKey: "s") as? NSArray)?.object(at: 1) is NSNull)
        #expect(rows.value(forKeyPath: "@unionOfObjects.n") as? [Int] == [1, 2, 2])
        #expect(rows.value(forKeyPath: "@distinctUnionOfObjects.n") as? [Int] == [1, 2])
        #expect((rows.value(forKeyPath: "@count") as? NSNumber)?.intValue == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func collectionsOfObjectsGiveAndTakeValues(kind: StoreKind) throws {
        try withContext(kind) { context in
            let people = ["A", "B"].map { context.make("Person", ["name": $0]) }
            let array = NSArray(array: people)
            #expect(array.value(forKey: "name") as? [String] == ["A", "B"])
            array.setValue(5, forKey: "age")
            #expect(people.allSatisfy { $0.integer("age") == 5 })
            NSSet(array: people).setValue(6, forKey: "age")
            #expect(NSSet(array: people).value(forKey: "age") as? Set<Int> == [6])
            let ordered = NSOrderedSet(array: people).value(forKey: "name") as? NSOrderedSet
            #expect(ordered?.array as? [String] == ["A", "B"])
        }
    }
}

@Suite struct MutableProxyTests {
    @Test(arguments: StoreKind.allCases)
    func setsWriteThroughAndSeeOtherChanges(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "D"])
            let people = ["A", "B", "C"].map { context.make("Person", ["name": $0]) }
            let proxy = department.mutableSetValue(forKey: "people")
            #expect(proxy.count == 0)
            proxy.add(people[0])
            proxy.union(Set(people[1...]))
            #expect(proxy.count == 3 && people[2].one("department") === department)
            proxy.remove(people[0])
            #expect(people[0].one("department") == nil && !proxy.contains(people[0]))
            people[0].setValue(department, forKey: "department")
            #expect(proxy.contains(people[0]))
            #expect(Set(proxy.compactMap { $0 as? NSManagedObject }) == Set(people))
            proxy.minus(Set(people[1...]))
            #expect(department.set("people") == [people[0]])
            proxy.setSet([people[1]])
            #expect(department.set("people") == [people[1]] && people[0].one("department") == nil)
            people[1].mutableSetValue(forKeyPath: "department.people").removeAllObjects()
            #expect(department.set("people").isEmpty && proxy.allObjects.isEmpty)
            proxy.addObjects(from: people)
            try context.save()
            context.reset()
            #expect(try context.only("Department").set("people").count == 3)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func orderedSetsWriteThroughAndSeeOtherChanges(kind: StoreKind) throws {
        try withContext(kind) { context in
            let list = context.make("Playlist", ["title": "L"])
            let songs = ["a", "b", "c", "d"].map { context.make("Song", ["title": $0]) }
            func titles() -> String {
                (list.value(forKey: "songs") as? NSOrderedSet)?.array
                    .compactMap { ($0 as? NSManagedObject)?.text("title") }.joined() ?? ""
            }
            let proxy = list.mutableOrderedSetValue(forKey: "songs")
            proxy.addObjects(from: Array(songs[..<3]))
            #expect(titles() == "abc" && songs[1].one("playlist") === list)
            proxy.insert(songs[3], at: 0)
            #expect(titles() == "dabc")
            proxy.moveObjects(at: IndexSet(integer: 0), to: 3)
            #expect(titles() == "abcd")
            proxy.exchangeObject(at: 0, withObjectAt: 3)
            #expect(titles() == "dbca")
            proxy.removeObject(at: 1)
            proxy.remove(songs[2])
            #expect(titles() == "da" && songs[1].one("playlist") == nil)
            songs[1].setValue(list, forKey: "playlist")
            #expect(proxy.count == 3 && proxy.object(at: 2) as? NSManagedObject === songs[1])
            #expect(proxy.index(of: songs[0]) == 1 && proxy.contains(songs[3]))
            proxy.replaceObject(at: 0, with: songs[2])
            #expect(titles() == "cab")
            try context.save()
            context.reset()
            let read = try context.only("Playlist").mutableOrderedSetValue(forKey: "songs")
            #expect((read.object(at: 0) as? NSManagedObject)?.text("title") == "c")
            read.removeAllObjects()
            try context.save()
            #expect(try context.all("Song", where: NSPredicate(format: "playlist != nil")).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func arraysWriteThrough(kind: StoreKind) throws {
        try withContext(kind) { context in
            let list = context.make("Playlist", ["title": "L"])
            let songs = ["a", "b"].map { context.make("Song", ["title": $0]) }
            let proxy = list.mutableArrayValue(forKey: "songs")
            proxy.add(songs[0])
            proxy.insert(songs[1], at: 0)
            #expect(proxy.count == 2 && songs[0].one("playlist") === list)
            proxy.removeLastObject()
            #expect(
                songs[0].one("playlist") == nil && proxy.object(at: 0) as AnyObject === songs[1]
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changesByProxyAreUndone(kind: StoreKind) throws {
        try withContext(kind) { context in
            let list = context.make("Playlist", ["title": "L"])
            let songs = ["a", "b"].map { context.make("Song", ["title": $0]) }
            list.setValue(NSOrderedSet(array: songs), forKey: "songs")
            try context.save()
            context.undoManager = UndoManager()
            let proxy = list.mutableOrderedSetValue(forKey: "songs")
            proxy.moveObjects(at: IndexSet(integer: 0), to: 1)
            #expect(proxy.object(at: 0) as AnyObject === songs[1])
            context.undo()
            #expect(proxy.object(at: 0) as AnyObject === songs[0])
        }
    }
}

@Suite struct PrimitiveValueTests {
    @Test(arguments: StoreKind.allCases)
    func settingAPrimitiveLeavesTheInverseAlone(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "A"])
            try context.save()
            person.setPrimitiveValue(department, forKey: "department")
            #expect(person.one("department") === department && !context.hasChanges)
            #expect(department.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func customAccessorsSetTheInverse(kind: StoreKind) throws {
        try withContext(kind) { context in
            let first = context.make("Department", ["name": "1"])
            let second = context.make("Department", ["name": "2"])
            let person = context.make("Person", ["name": "A", "department": first])
            try context.save()
            person.willChangeValue(forKey: "department")
            person.setPrimitiveValue(second, forKey: "department")
            person.didChangeValue(forKey: "department")
            #expect(first.set("people").isEmpty && second.set("people") == [person])
            #expect(person.isUpdated)
            first.willChangeValue(forKey: "people", withSetMutation: .union, using: [person])
            first.setPrimitiveValue(Set([person]), forKey: "people")
            first.didChangeValue(forKey: "people", withSetMutation: .union, using: [person])
            #expect(person.one("department") === first && second.set("people").isEmpty)
            try context.save()
            context.reset()
            #expect(try context.only("Person").one("department")?.text("name") == "1")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func customAccessorsAreUndone(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "1"])
            let person = context.make("Person", ["name": "A"])
            try context.save()
            context.undoManager = UndoManager()
            person.willChangeValue(forKey: "department")
            person.setPrimitiveValue(department, forKey: "department")
            person.didChangeValue(forKey: "department")
            person.willChangeValue(forKey: "name")
            person.setPrimitiveValue("B", forKey: "name")
            person.didChangeValue(forKey: "name")
            context.undo()
            #expect(person.one("department") == nil && person.text("name") == "A")
            #expect(department.set("people").isEmpty)
        }
    }

    /// Key-value coding looks for `setName:` by both.
    @Test func aSetterIsFoundByAKeyThatBeginsLarge() throws {
        try withContext(.inMemory) { context in
            let person = context.make("Person")
            person.setValue("A", forKey: "Name")
            #expect(person.text("name") == "A")
        }
    }

    /// Generic code hands over optionals as they are.
    @Test func optionalsOfAllTypesHoldNothing() throws {
        func set<Value>(_ value: Value, _ key: String, of object: NSManagedObject) {
            object.setValue(value, forKey: key)
        }
        try withContext(.inMemory) { context in
            let department = context.make("Department", ["name": "1"])
            let person = context.make("Person", ["name": "A", "age": 7])
            set(Optional(department), "department", of: person)
            set(Optional(Set([person])), "friends", of: person)
            #expect(person.one("department") === department && person.set("friends").count == 1)
            set(NSManagedObject?.none, "department", of: person)
            set(Set<NSManagedObject>?.none, "friends", of: person)
            #expect(person.value(forKey: "age") as? Int == 7)
            set(Int??.some(nil), "age", of: person)
            set(Optional("B"), "name", of: person)
            #expect(person.text("name") == "B")
            #expect(person.one("department") == nil && person.set("friends").isEmpty)
            #expect(person.value(forKey: "age") == nil)
        }
    }

    @Test func mutationKindsHaveApplesValues() {
        let kinds: [NSKeyValueSetMutationKind] = [.union, .minus, .intersect, .set]
        #expect(kinds.map(\.rawValue) == [1, 2, 3, 4])
    }
}
