import Testing

@testable import CoreData

@Suite struct EntityLayoutTests {
    @Test func slotsOfAParentMeanTheSameInItsChildren() throws {
        let root = makeEntity("Being", [makeAttribute("name"), makeAttribute("age")])
        root.isAbstract = true
        let middle = makeEntity("Animal", parent: root, [makeAttribute("about")])
        let leaf = makeEntity("dog", parent: middle, [makeAttribute("breed")])
        let cat = makeEntity("Cat", parent: middle)
        let other = makeEntity("Aardvark")
        let layout = makeModel([leaf, other, cat, root, middle]).layout
        #expect(layout.entities.map(\.name) == ["Aardvark", "Being", "Animal", "Cat", "dog"])
        let dog = try #require(layout.entitiesByName["dog"])
        #expect(dog.slots.map(\.name) == ["age", "name", "about", "breed"])
        #expect(dog.slots.map(\.index) == [0, 1, 2, 3])
        #expect(dog.slots.map(\.declaringEntityIndex) == [1, 1, 2, 4])
        #expect(dog.parent?.parent?.name == "Being")
        #expect(dog.rootIndex == 1)
        let being = try #require(layout.entitiesByName["Being"])
        #expect(being.lastDescendantIndex == 4)
        #expect(being.isAbstract && being.contains(dog.index) && !being.contains(0))
    }

    @Test func inversesAreFoundInParentsOfTheDestination() throws {
        let owner = makeEntity("Owner"), person = makeEntity("Person", parent: owner)
        let car = makeEntity("Car")
        let cars = makeRelationship("cars", to: car, many: true)
        let drivers = makeRelationship("drivers", to: person, many: true)
        owner.properties = [cars, makeAttribute("zone")]
        car.properties = [drivers]
        connect(cars, drivers)
        let layout = makeModel([owner, person, car]).layout
        let personLayout = try #require(layout.entitiesByName["Person"])
        let slot = try #require(layout.entitiesByName["Car"]?.slots[0])
        #expect(slot.destinationIndex == personLayout.index)
        #expect(personLayout.slots[slot.inverseSlot].name == "cars")
        #expect(slot.isManyToMany)
        #expect(personLayout.slots[0].inverseSlot == 0)
    }

    @Test func aRelationshipCanBeItsOwnInverse() throws {
        let country = makeEntity("Country", [makeAttribute("code")])
        let neighbours = makeRelationship("neighbours", to: country, many: true)
        country.properties.append(neighbours)
        neighbours.inverseRelationship = neighbours
        let slot = makeModel([country]).layout.entities[0].slots[1]
        #expect(slot.inverseSlot == 1)
        #expect(slot.isManyToMany)
        #expect(slot.destinationIndex == 0)
    }

    @Test func hundredsOfPropertiesHaveSlots() throws {
        let wide = makeEntity("Wide", (0..<300).map { makeAttribute("a\($0)") })
        let child = makeEntity("Wider", parent: wide, (0..<300).map { makeAttribute("b\($0)") })
        let layout = makeModel([wide, child]).layout
        #expect(layout.entities[1].slots.count == 600)
        #expect(
            layout.entities[1].slotsByName["b299"].map { layout.entities[1].slots[$0].name }
                == "b299"
        )
    }

    @Test func threadsThatUseAModelFirstAgreeOnItsLayout() {
        let model = makeModel([makeEntity("Note", [makeAttribute("title")])])
        let layouts = Locked<[ModelLayout]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            let count = model.entities[0].attributesByName.count
            let layout = model.layout
            layouts.withLock { $0.append(layout) }
            precondition(count == model.entities[0].propertiesByName.count)
        }
        layouts.withLock { all in #expect(all.count == 16 && all.allSatisfy { $0 === all[0] }) }
    }

    @Test func aLayoutOutlivesItsModel() {
        var model: NSManagedObjectModel? = makeModel([makeEntity("Note", [makeAttribute("title")])])
        let layout = model?.layout
        weak let gone = model
        model = nil
        #expect(gone == nil)
        #expect(layout?.entities[0].entity.name == "Note")
        #expect(layout?.entities[0].slots[0].property.name == "title")
    }

    @Test func anEntityOutlivesItsModelAndItsParent() {
        var model: NSManagedObjectModel? = makeModel([])
        let child = makeEntity("Child")
        do {
            let parent = makeEntity("Parent", [makeAttribute("name")])
            parent.subentities = [child]
            child.properties = [makeRelationship("parent", to: parent)]
            model?.entities = [parent, child]
            #expect(child.properties.count == 2)
        }
        model = nil
        #expect(child.superentity == nil)
        #expect(child.relationshipsByName["parent"]?.destinationEntity == nil)
        #expect(child.properties.count == 1)
    }

    @Test func aModelInUseIsFrozenAndItsCopyIsNot() async {
        let model = makeModel([makeEntity("Note", [makeAttribute("title")])])
        _ = model.layout
        #expect(model.isFrozen)
        let copy = model.copy() as? NSManagedObjectModel
        copy?.entities[0].name = "Memo"
        #expect(copy?.entities[0].name == "Memo")
        await #expect(processExitsWith: .failure) {
            let model = makeModel([makeEntity("Note", [makeAttribute("title")])])
            _ = model.layout
            model.entities[0].attributesByName["title"]?.isOptional = false
        }
    }

    @Test func problemsOfAModelAreNamed() {
        func problem(_ entities: [NSEntityDescription]) -> String {
            ModelProblem.first(in: makeModel(entities)) ?? ""
        }
        let parent = makeEntity("Parent", [makeAttribute("name")])
        let child = makeEntity("Child", parent: parent, [makeAttribute("name")])
        #expect(problem([parent, child]).contains("\"Child\" has two properties named \"name\""))
        #expect(
            problem([child]).contains("parent entity \"Parent\" of \"Child\" is not in the model")
        )
        let astray = makeEntity("Note", [makeRelationship("tag", to: nil)])
        #expect(problem([astray]).contains("Note.tag has no destination entity"))
        let note = makeEntity("Note"), tag = makeEntity("Tag")
        let tags = makeRelationship("tags", to: tag, many: true)
        let notes = makeRelationship("notes", to: note, many: true)
        note.properties = [tags]
        tag.properties = [notes]
        tags.inverseRelationship = notes
        #expect(problem([note, tag]) == "")
        #expect(problem([note]).contains("destination \"Tag\""))
        connect(tags, notes)
        #expect(problem([note, tag]) == "")
        notes.destinationEntity = tag
        #expect(problem([note, tag]).contains("Tag.notes"))
        #expect(problem([makeEntity("A"), makeEntity("A")]).contains("two entities named \"A\""))
        let unique = makeEntity("Note", [makeAttribute("title")])
        unique.uniquenessConstraints = [["titel"]]
        #expect(problem([unique]).contains("over \"titel\""))
        let odd = makeAttribute("count", .integer16AttributeType)
        odd.defaultValue = "none"
        #expect(
            problem([makeEntity("Note", [odd])]).contains(
                "default value of the attribute Note.count"
            )
        )
        odd.defaultValue = 5
        #expect(problem([makeEntity("Memo", [odd.copy() as? NSAttributeDescription ?? odd])]) == "")
        let first = makeEntity("A"), second = makeEntity("B", parent: first)
        second.subentities = [first]
        #expect(problem([first, second]).contains("inherits from itself"))
        // They hold each other.
        second.subentities = []
    }
}
