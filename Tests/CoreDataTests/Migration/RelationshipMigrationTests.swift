import Foundation
import Testing

@testable import CoreData

/// Migrations in place of links between rows: from each form of relationship to each other.
@Suite struct RelationshipMigrationTests {
    /// How boxes hold items: `items` of Box, and `box` or `boxes` of Item.
    enum Form: String, CaseIterable, Sendable {
        case toOnePlain, toManyPlain, orderedPlain
        case oneToOne, oneToMany, oneToManyOrdered, manyToOne, manyToMany, manyToManyOrdered

        var isToMany: Bool { ![.toOnePlain, .oneToOne, .manyToOne].contains(self) }
        var isOrdered: Bool {
            [.orderedPlain, .oneToManyOrdered, .manyToManyOrdered].contains(self)
        }
        var hasInverse: Bool { ![.toOnePlain, .toManyPlain, .orderedPlain].contains(self) }
        var isInverseToMany: Bool {
            [.manyToOne, .manyToMany, .manyToManyOrdered].contains(self)
        }
        /// Whether an item may be in several boxes.
        var shares: Bool { isInverseToMany || self == .toOnePlain }

        func model(itemHasSubentity: Bool = false) -> NSManagedObjectModel {
            let box = makeEntity("Box", [makeAttribute("name")])
            let item = makeEntity("Item", [makeAttribute("name")])
            let items = makeRelationship("items", to: item, many: isToMany)
            items.isOrdered = isOrdered
            box.properties.append(items)
            if hasInverse {
                let back = makeRelationship("boxes", to: box, many: isInverseToMany)
                item.properties.append(back)
                connect(items, back)
            }
            var entities = [box, item]
            if itemHasSubentity { entities.append(makeEntity("Toy", parent: item)) }
            return makeModel(entities)
        }
    }

    /// Box "A" holds a, b, c and box "B" holds d, as far as the form allows.
    private func fill(_ context: NSManagedObjectContext, _ form: Form) {
        let items = ["c", "a", "b"].map { context.insert("Item", ["name": $0]) }
        let last = context.insert("Item", ["name": "d"])
        let one = context.insert("Box", ["name": "A"]), two = context.insert("Box", ["name": "B"])
        func set(_ box: NSManagedObject, _ content: [NSManagedObject]) {
            box.setValue(value(of: content, form), forKey: "items")
        }
        set(one, items)
        set(two, form.shares ? [last, items[0]].reversed() : [last])
    }

    private func value(of items: [NSManagedObject], _ form: Form) -> Any? {
        if form.isOrdered { return NSOrderedSet(array: items) }
        return form.isToMany ? Set(items) : items.first
    }

    private func content(_ box: NSManagedObject, _ form: Form) -> [String] {
        form.isToMany ? box.texts("items") : [box.object("items")?.text("name")].compactMap(\.self)
    }

    /// What the boxes hold after a migration.
    private func expected(_ old: Form, _ new: Form) -> [[String]] {
        // In the source: sorted by name where there is no order.
        var one = old.isToMany ? (old.isOrdered ? ["c", "a", "b"] : ["a", "b", "c"]) : ["c"]
        var two = old.shares ? (old.isToMany ? ["c", "d"] : ["c"]) : ["d"]
        if !new.shares {
            // An item stays in the first of its boxes.
            two.removeAll { one.contains($0) }
        }
        if !new.isToMany { (one, two) = (Array(one.prefix(1)), Array(two.prefix(1))) }
        return new.isOrdered && old.isOrdered ? [one, two] : [one.sorted(), two.sorted()]
    }

    @Test(arguments: Form.allCases, Form.allCases)
    func linksCarryOver(from old: Form, to new: Form) throws {
        let fixture = try MigrationFixture(old.model()) { fill($0, old) }
        let destination = new.model()
        try fixture.migrate(to: destination)
        try fixture.expectDefinitions(ofNew: destination)
        try fixture.open(destination) { context in
            let boxes = try context.objects("Box", by: "name")
            let found = boxes.map { content($0, new) }
            if new.isToMany || !old.isToMany {
                let sorted = new.isOrdered && old.isOrdered ? found : found.map { $0.sorted() }
                #expect(sorted == expected(old, new))
            } else {
                // One of several is left, and never the same in two boxes that can't share it.
                #expect(found.allSatisfy { $0.count <= 1 } && found[0].count == 1)
                #expect(new.shares || Set(found.joined()).count == found.joined().count)
            }
            if new.hasInverse {
                for item in try context.objects("Item", by: "name") {
                    let name = item.text("name") ?? ""
                    let owners =
                        new.isInverseToMany
                        ? item.texts("boxes")
                        : [item.object("boxes")?.text("name")].compactMap(\.self)
                    let holders = zip(["A", "B"], found).filter { $1.contains(name) }.map(\.0)
                    #expect(owners == holders, "\(name)")
                }
            }
            // The store goes on working.
            let box = context.insert("Box", ["name": "C"])
            let item = context.insert("Item", ["name": "z"])
            box.setValue(value(of: [item], new), forKey: "items")
            try context.save()
        }
    }

    @Test func keysOfSubentitiesKnowTheirEntity() throws {
        let old = Form.manyToOne.model()
        let fixture = try MigrationFixture(old) { fill($0, .manyToOne) }
        let new = Form.manyToOne.model(itemHasSubentity: true)
        try fixture.migrate(to: new)
        // Box 1, Item 2, Toy 3.
        #expect(
            try fixture.shell("SELECT DISTINCT Z2_ITEMS FROM ZBOX") == ["2"]
        )
        try fixture.expectDefinitions(ofNew: new)
        let grown = try MigrationFixture(new) { context in
            let toy = context.insert("Toy", ["name": "t"])
            context.insert("Box", ["name": "A", "items": toy])
        }
        // With an entity before it, Toy gets another number.
        let next = Form.manyToOne.model(itemHasSubentity: true)
        next.entities.append(makeEntity("Apple"))
        try grown.migrate(to: next)
        #expect(try grown.shell("SELECT Z3_ITEMS FROM ZBOX") == ["4"])
        #expect(try grown.shell("SELECT Z_ENT FROM ZITEM") == ["4"])
        try grown.open(next) { context in
            let box = try context.objects("Box", by: "name").first
            #expect(box?.object("items")?.entity.name == "Toy")
        }
    }

    @Test func joinTablesFollowTheirNames() throws {
        func model(_ isRenamed: Bool) -> NSManagedObjectModel {
            let post = makeEntity(isRenamed ? "Article" : "Post", [makeAttribute("name")])
            let tag = makeEntity("Label", [makeAttribute("name")])
            let tags = makeRelationship(isRenamed ? "labels" : "tags", to: tag, many: true)
            let posts = makeRelationship("posts", to: post, many: true)
            if isRenamed {
                post.renamingIdentifier = "Post"
                tags.renamingIdentifier = "tags"
            }
            post.properties.append(tags)
            tag.properties.append(posts)
            connect(tags, posts)
            return makeModel([post, tag])
        }
        let fixture = try MigrationFixture(model(false)) { context in
            let tags = ["x", "y"].map { context.insert("Label", ["name": $0]) }
            context.insert("Post", ["name": "p", "tags": Set(tags)])
            context.insert("Post", ["name": "q", "tags": Set([tags[1]])])
        }
        let new = model(true)
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
        try fixture.open(new) { context in
            let posts = try context.objects("Article", by: "name")
            #expect(posts.map { $0.texts("labels") } == [["x", "y"], ["y"]])
        }
    }

    @Test func linksToWhatIsGoneAreCut() throws {
        func model(_ hasToys: Bool) -> NSManagedObjectModel {
            let item = makeEntity("Item", [makeAttribute("name")])
            let box = makeEntity("Box", [makeAttribute("name")])
            box.properties.append(makeRelationship("item", to: item))
            let all = makeRelationship("all", to: item, many: true)
            let boxes = makeRelationship("boxes", to: box, many: true)
            box.properties.append(all)
            item.properties.append(boxes)
            connect(all, boxes)
            return makeModel(
                [box, item] + (hasToys ? [makeEntity("Toy", parent: item)] : [])
            )
        }
        let fixture = try MigrationFixture(model(true)) { context in
            let toy = context.insert("Toy", ["name": "t"])
            let item = context.insert("Item", ["name": "i"])
            context.insert("Box", ["name": "A", "item": toy, "all": Set([toy, item])])
            context.insert("Box", ["name": "B", "item": item])
        }
        let new = model(false)
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
        try fixture.open(new) { context in
            let boxes = try context.objects("Box", by: "name")
            #expect(boxes.map { $0.object("item")?.text("name") } == [nil, "i"])
            #expect(boxes.map { $0.texts("all") } == [["i"], []])
        }
    }

    /// A key that is written from links says of which entity its row is, as any other.
    @Test func keysMadeOfLinksKnowTheirEntity() throws {
        let old = Form.manyToMany.model(itemHasSubentity: true)
        let fixture = try MigrationFixture(old) { context in
            let toy = context.insert("Toy", ["name": "t"])
            let item = context.insert("Item", ["name": "i"])
            context.insert("Box", ["name": "A", "items": Set([toy])])
            context.insert("Box", ["name": "B", "items": Set([item])])
        }
        let new = Form.manyToOne.model(itemHasSubentity: true)
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
        // Box 1, Item 2, Toy 3.
        #expect(try fixture.shell("SELECT ZNAME, Z2_ITEMS FROM ZBOX ORDER BY 1") == ["A|3", "B|2"])
        try fixture.open(new) { context in
            let boxes = try context.objects("Box", by: "name")
            #expect(boxes.map { $0.object("items")?.entity.name } == ["Toy", "Item"])
        }
    }

    /// People know each other: each link is there both ways.
    @Test(arguments: [false, true])
    func relationshipsThatAreTheirOwnInverseCarryOver(isOrdered: Bool) throws {
        func model(_ isMutual: Bool) -> NSManagedObjectModel {
            let person = makeEntity("Person", [makeAttribute("name")])
            let friends = makeRelationship("friends", to: person, many: true)
            friends.isOrdered = isOrdered
            person.properties.append(friends)
            if isMutual {
                friends.inverseRelationship = friends
            } else {
                let back = makeRelationship("friendOf", to: person, many: true)
                person.properties.append(back)
                connect(friends, back)
            }
            return makeModel([person])
        }
        let fixture = try MigrationFixture(model(false)) { context in
            let people = ["a", "b", "c"].map { context.insert("Person", ["name": $0]) }
            let others = [people[2], people[1]]
            people[0].setValue(
                isOrdered ? NSOrderedSet(array: others) as Any : Set(others),
                forKey: "friends"
            )
        }
        let new = model(true)
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
        try fixture.open(new) { context in
            let people = try context.objects("Person", by: "name")
            #expect(people[0].texts("friends").sorted() == ["b", "c"])
            #expect(people[1].texts("friends") == ["a"] && people[2].texts("friends") == ["a"])
        }
    }

    /// Without an inverse the members of a collection have its owner's key, which goes with it.
    @Test func ownersThatAreGoneAreCut() throws {
        func model(_ hasShelf: Bool) -> NSManagedObjectModel {
            let item = makeEntity("Item", [makeAttribute("name")])
            let box = makeEntity("Box", [makeAttribute("name")])
            let crate = makeEntity("Crate", parent: hasShelf ? box : nil)
            let items = makeRelationship("items", to: item, many: true)
            items.isOrdered = true
            box.properties.append(items)
            return makeModel(hasShelf ? [item, box, crate] : [item, box])
        }
        let fixture = try MigrationFixture(model(true)) { context in
            let items = ["a", "b"].map { context.insert("Item", ["name": $0]) }
            context.insert("Crate", ["name": "C", "items": NSOrderedSet(array: [items[0]])])
            context.insert("Box", ["name": "B", "items": NSOrderedSet(array: [items[1]])])
        }
        let new = model(false)
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
        try fixture.open(new) { context in
            let boxes = try context.objects("Box", by: "name")
            #expect(boxes.map { $0.texts("items") } == [["b"]])
            let items = try context.objects("Item", by: "name")
            boxes[0].setValue(NSOrderedSet(array: items), forKey: "items")
            try context.save()
        }
    }

    /// Both ends get places, in the order of keys.
    @Test func bothEndsOfAManyToManyBecomeOrdered() throws {
        func model(_ isOrdered: Bool) -> NSManagedObjectModel {
            let model = Form.manyToMany.model()
            for (entity, name) in [("Box", "items"), ("Item", "boxes")] {
                model.entitiesByName[entity]?.relationshipsByName[name]?.isOrdered = isOrdered
            }
            return model
        }
        let fixture = try MigrationFixture(model(false)) { fill($0, .manyToMany) }
        let new = model(true)
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
        try fixture.open(new) { context in
            let items = try context.objects("Item", by: "name")
            let boxes = items.map { $0.texts("boxes") }
            #expect(boxes == [["A"], ["A"], ["A", "B"], ["B"]])
            let contents = try context.objects("Box", by: "name").map { $0.texts("items").sorted() }
            #expect(contents == [["a", "b", "c"], ["c", "d"]])
        }
    }
}
