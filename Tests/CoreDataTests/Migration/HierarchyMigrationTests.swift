import Foundation
import Testing

@testable import CoreData

/// Migrations in place of what inherits from what.
@Suite struct HierarchyMigrationTests {
    /// Truck and Bike, with an owner each, below Vehicle if there is one.
    private func model(
        hasParent: Bool,
        movedUp: Bool = false,
        parentIsAbstract: Bool = true
    ) -> NSManagedObjectModel {
        let person = makeEntity("Person", [makeAttribute("name")])
        let truck = makeEntity("Truck", [makeAttribute("load", .integer32AttributeType)])
        var entities = [person, truck]
        func own(_ entity: NSEntityDescription) {
            let owner = makeRelationship("owner", to: person)
            entity.properties += [makeAttribute("name"), owner]
        }
        if hasParent {
            let vehicle = makeEntity("Vehicle")
            vehicle.isAbstract = parentIsAbstract
            vehicle.subentities = [truck]
            own(movedUp ? vehicle : truck)
            entities.append(vehicle)
        } else {
            own(truck)
        }
        return makeModel(entities)
    }

    private func fill(_ context: NSManagedObjectContext) {
        let person = context.insert("Person", ["name": "p"])
        context.insert("Truck", ["name": "t", "load": 5, "owner": person])
        context.insert("Truck", ["name": "u"])
    }

    private func check(_ fixture: MigrationFixture, _ model: NSManagedObjectModel) throws {
        try fixture.expectDefinitions(ofNew: model)
        try fixture.open(model) { context in
            let trucks = try context.objects("Truck", by: "name")
            #expect(trucks.map { $0.text("name") } == ["t", "u"])
            #expect(trucks.first?.value(forKey: "load") as? Int == 5)
            #expect(trucks.map { $0.object("owner")?.text("name") } == ["p", nil])
            context.insert("Truck", ["name": "v"])
            try context.save()
        }
        let table = model.entitiesByName["Vehicle"] == nil ? "ZTRUCK" : "ZVEHICLE"
        #expect(try fixture.shell("SELECT Z_PK FROM \(table) ORDER BY 1") == ["1", "2", "3"])
    }

    @Test(arguments: [false, true])
    func aParentComesAndGoes(movedUp: Bool) throws {
        let alone = model(hasParent: false), below = model(hasParent: true, movedUp: movedUp)
        let grown = try MigrationFixture(alone, fill)
        try grown.migrate(to: below)
        try check(grown, below)
        let shrunk = try MigrationFixture(below, fill)
        try shrunk.migrate(to: alone)
        try check(shrunk, alone)
    }

    @Test func propertiesMoveUpAndDown() throws {
        let low = model(hasParent: true, movedUp: false)
        let high = model(hasParent: true, movedUp: true)
        let up = try MigrationFixture(low, fill)
        try up.migrate(to: high)
        try check(up, high)
        let down = try MigrationFixture(high, fill)
        try down.migrate(to: low)
        try check(down, low)
    }

    @Test func brothersPropertiesBecomeOneOfTheParent() throws {
        func model(_ isMerged: Bool) -> NSManagedObjectModel {
            let parent = makeEntity("Shape", isMerged ? [makeAttribute("colour")] : [])
            let own = { isMerged ? [] : [makeAttribute("colour")] }
            return makeModel([
                parent, makeEntity("Circle", parent: parent, own()),
                makeEntity("Square", parent: parent, own()),
            ])
        }
        let separate = model(false), merged = model(true)
        let fixture = try MigrationFixture(separate) { context in
            context.insert("Circle", ["colour": "red"])
            context.insert("Square", ["colour": "blue"])
            context.insert("Shape")
        }
        #expect(
            try fixture.shell("SELECT ZCOLOUR, ZCOLOUR1 FROM ZSHAPE WHERE Z_ENT = 3") == ["|blue"]
        )
        try fixture.migrate(to: merged)
        try fixture.expectDefinitions(ofNew: merged)
        #expect(
            try fixture.shell("SELECT Z_ENT, ZCOLOUR FROM ZSHAPE ORDER BY Z_ENT")
                == ["1|", "2|red", "3|blue"]
        )
    }

    @Test func anEntityWithObjectsDoesNotBecomeAbstract() throws {
        let old = model(hasParent: true, parentIsAbstract: false)
        let new = model(hasParent: true, parentIsAbstract: true)
        let empty = try MigrationFixture(old, fill)
        try empty.migrate(to: new)
        let full = try MigrationFixture(old) { $0.insert("Vehicle") }
        let error = #expect(throws: CocoaError.self) { try full.migrate(to: new) }
        #expect(error?.errorCode == NSMigrationError)
        #expect(error?.userInfo["entity"] as? String == "Vehicle")
        #expect(try full.shell("SELECT count(*) FROM ZVEHICLE") == ["1"])
    }

    @Test func entitiesAreAddedRemovedAndRenamed() throws {
        let old = makeModel([
            makeEntity("Apple", [makeAttribute("name")]),
            makeEntity("Pear", [makeAttribute("name")]),
        ])
        let fixture = try MigrationFixture(old) { context in
            context.insert("Apple", ["name": "a"])
            context.insert("Pear", ["name": "p"])
        }
        let renamed = makeEntity("Fruit", [makeAttribute("name")])
        renamed.renamingIdentifier = "Apple"
        let new = makeModel([renamed, makeEntity("Apple", [makeAttribute("name")])])
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
        #expect(try fixture.shell("SELECT ZNAME FROM ZFRUIT") == ["a"])
        #expect(try fixture.shell("SELECT count(*) FROM ZAPPLE") == ["0"])
        #expect(
            try fixture.shell("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1")
                == ["Apple|0", "Fruit|1"]
        )
    }
}
