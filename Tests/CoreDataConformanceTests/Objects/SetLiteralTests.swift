import CoreData
import TestSupport
import Testing

/// Sets written as array literals, as the accessors of to-many relationships are called.
@Suite struct SetLiteralTests {
    @Test func literalsAreSets() {
        let set: NSSet = [1, 2, 2]
        #expect(set.count == 2)
        #expect(["x"] as NSSet == NSSet(object: "x"))
        #expect(([] as NSSet).count == 0)
    }

    @Test(arguments: StoreKind.large)
    func relationshipsTakeLiterals(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "Sales"])
            let people = ["Ada", "Grace"].map { context.make("Person", ["name": $0]) }
            department.setValue([people[0], people[1]] as NSSet, forKey: "people")
            #expect((department.value(forKey: "people") as? NSSet)?.count == 2)
        }
    }
}
