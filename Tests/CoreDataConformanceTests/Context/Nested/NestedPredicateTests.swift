import CoreData
import TestSupport
import Testing

/// Predicates with objects, in contexts that stand on others.
@Suite struct NestedPredicateTests {
    /// Makes the objects in a context.
    private static func populate(_ context: NSManagedObjectContext) {
        let sales = context.make("Department", ["name": "Sales"])
        let ops = context.make("Department", ["name": "Ops"])
        let ann = context.make("Person", ["name": "Ann", "department": sales])
        let bob = context.make("Person", ["name": "Bob", "department": sales])
        let cleo = context.make("Person", ["name": "Cleo", "department": ops])
        let blue = context.make("Tag", ["label": "blue"])
        blue.setValue(NSSet(array: [ann, cleo]), forKey: "people")
        ann.mutableSetValue(forKey: "friends").add(bob)
    }

    /// What a context finds, by entity and predicate, where the arguments are its own objects, or
    /// their IDs.
    private func expectForms(_ context: NSManagedObjectContext, isByID: Bool) throws {
        var objects: [String: NSManagedObject] = [:]
        for entity in ["Department", "Person", "Tag"] {
            for object in try context.all(entity) {
                objects[object.text(entity == "Tag" ? "label" : "name") ?? ""] = object
            }
        }
        func one(_ name: String) throws -> Any {
            let object = try #require(objects[name])
            return isByID ? object.objectID : object
        }
        func expect(
            _ format: String,
            _ arguments: [Any],
            _ expected: [String],
            of entity: String = "Person",
            line: Int = #line
        ) throws {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: format, argumentArray: arguments)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let found = try context.fetch(request).compactMap { $0.text("name") }
            #expect(found == expected, "\(format), line \(line), by ID: \(isByID)")
            let count = try context.count(for: request)
            #expect(count == expected.count, "\(format), line \(line)")
        }
        let (ann, bob, cleo) = (try one("Ann"), try one("Bob"), try one("Cleo"))
        let (sales, blue) = (try one("Sales"), try one("blue"))
        try expect("self == %@", [ann], ["Ann"])
        try expect("self != %@", [ann], ["Bob", "Cleo"])
        try expect("%@ == self", [ann], ["Ann"])
        try expect("self IN %@", [[ann, cleo]], ["Ann", "Cleo"])
        try expect("self IN %@", [NSSet(array: [ann, cleo])], ["Ann", "Cleo"])
        try expect("NOT (self IN %@)", [[ann, cleo]], ["Bob"])
        try expect("NOT (self IN %@)", [[ann, bob, cleo]], [])
        try expect("department == %@", [sales], ["Ann", "Bob"])
        try expect("department != %@", [sales], ["Cleo"])
        try expect("department IN %@", [[sales]], ["Ann", "Bob"])
        try expect("NOT (department IN %@)", [[sales]], ["Cleo"])
        try expect("ANY tags == %@", [blue], ["Ann", "Cleo"])
        try expect("ANY tags IN %@", [[blue]], ["Ann", "Cleo"])
        try expect("ALL tags == %@", [blue], ["Ann", "Bob", "Cleo"])
        try expect("NONE tags == %@", [blue], ["Bob"])
        try expect("%@ IN tags", [blue], ["Ann", "Cleo"])
        try expect("tags CONTAINS %@", [blue], ["Ann", "Cleo"])
        try expect("NOT (%@ IN tags)", [blue], ["Bob"])
        try expect("SUBQUERY(tags, $t, $t == %@).@count > 0", [blue], ["Ann", "Cleo"])
        try expect("SUBQUERY(friends, $f, $f IN %@).@count == 0", [[bob]], ["Bob", "Cleo"])
        try expect("ANY friends.department == %@", [sales], ["Ann", "Bob"])
        try expect("%@ IN department.people", [bob], ["Ann", "Bob"])
        try expect("ANY people == %@", [cleo], ["Ops"], of: "Department")
        try expect("ANY people.tags == %@", [blue], ["Ops", "Sales"], of: "Department")
        try expect("ALL people IN %@", [[ann, bob]], ["Sales"], of: "Department")
        try expect("%@ IN people", [ann], ["Sales"], of: "Department")
        try expect("SUBQUERY(people, $p, $p == %@).@count == 1", [ann], ["Sales"], of: "Department")
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func savedObjectsAreFoundAtEachLevel(kind: StoreKind, isByID: Bool) throws {
        try withFamily(kind) { family throws in
            try family.parent.onQueue {
                Self.populate(family.parent)
                try family.parent.save()
            }
            for context in [family.parent, family.child, family.grandchild] {
                try context.onQueue { try expectForms(context, isByID: isByID) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func objectsThatOnlyTheParentHasAreFoundAtEachLevel(kind: StoreKind, isByID: Bool) throws {
        try withFamily(kind) { family throws in
            family.parent.onQueue { Self.populate(family.parent) }
            for context in [family.parent, family.child, family.grandchild] {
                try context.onQueue { try expectForms(context, isByID: isByID) }
            }
            // They get their keys while the levels below hold them under their temporary ones.
            try family.parent.onQueue { try family.parent.save() }
            for context in [family.parent, family.child, family.grandchild] {
                try context.onQueue { try expectForms(context, isByID: isByID) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func objectsOfAChildAreFoundBelowIt(kind: StoreKind, isByID: Bool) throws {
        try withFamily(kind) { family throws in
            family.child.onQueue { Self.populate(family.child) }
            for context in [family.child, family.grandchild] {
                try context.onQueue { try expectForms(context, isByID: isByID) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsOfTheParentAreFoundByItsChild(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            try family.parent.onQueue {
                let parent = family.parent
                Self.populate(parent)
                try parent.save()
                let all = try parent.all("Person", sortedBy: "name")
                try family.grandchild.onQueue {
                    let others = try family.grandchild.all(
                        "Person",
                        where: NSPredicate(format: "NOT (self IN %@)", Array(all.prefix(2)))
                    )
                    #expect(others.compactMap { $0.text("name") } == ["Cleo"])
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func columnsOfAChildTakeObjectsInTheirPredicate(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            try family.parent.onQueue {
                Self.populate(family.parent)
                try family.parent.save()
            }
            try family.child.onQueue {
                let child = family.child
                let sales = try #require(
                    try child.all("Department", where: NSPredicate(format: "name == 'Sales'")).first
                )
                let request = NSFetchRequest<NSDictionary>(entityName: "Person")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["name"]
                request.predicate = NSPredicate(format: "department == %@", sales)
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                let names = try child.fetch(request).map { $0["name"] as? String }
                #expect(names == ["Ann", "Bob"])
            }
        }
    }

    @Test func batchRequestsOfAChildTakeItsObjects() throws {
        try withFamily(.sqlite) { family throws in
            try family.parent.onQueue {
                Self.populate(family.parent)
                try family.parent.save()
            }
            try family.child.onQueue {
                let child = family.child
                let departments = try child.all("Department", sortedBy: "name")
                let update = NSBatchUpdateRequest(entityName: "Person")
                update.predicate = NSPredicate(format: "department == %@", departments[0])
                update.propertiesToUpdate = ["department": departments[1]]
                update.resultType = .updatedObjectsCountResultType
                let result = try child.execute(update) as? NSBatchUpdateResult
                #expect(result?.result as? Int == 1)
                let predicate = NSPredicate(format: "department == %@", departments[1])
                let people = try child.count(
                    for: {
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                        request.predicate = predicate
                        return request
                    }()
                )
                #expect(people == 3)
            }
        }
    }

    @Test func aBatchUpdateRefusesAnObjectThatOnlyAContextHas() throws {
        try withFamily(.sqlite) { family throws in
            try family.parent.onQueue {
                Self.populate(family.parent)
                try family.parent.save()
                family.parent.make("Department", ["name": "New"])
            }
            try family.child.onQueue {
                let child = family.child
                let new = try #require(
                    try child.all("Department", where: NSPredicate(format: "name == 'New'")).first
                )
                let update = NSBatchUpdateRequest(entityName: "Person")
                update.propertiesToUpdate = ["department": new]
                #expect(errorCode { _ = try child.execute(update) } != nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRequestOfAChildCanNameItsStores(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            try family.parent.onQueue {
                Self.populate(family.parent)
                try family.parent.save()
            }
            for context in [family.parent, family.child, family.grandchild] {
                try context.onQueue {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                    request.affectedStores = family.stack.coordinator.persistentStores
                    let all = try context.fetch(request)
                    #expect(all.count == 3)
                    request.affectedStores = []
                    let none = try context.fetch(request)
                    #expect(none.isEmpty)
                }
            }
        }
    }
}
