import CoreData
import MergeStack
import StackSupport
import Testing

/// An object of one context in another one.
@Suite struct InContextTests {
    @Test(arguments: Topology.allCases)
    func anObjectIsHadInAnotherContext(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            try await fixture.insert("a")
            let shown = try await fixture.onMain { main in
                main.retainsRegisteredObjects = true
                return try main.item("a").objectID
            }
            let stack = fixture.stack
            try await stack.performBackground { context in
                let main = stack.mainContext
                let onMain = try #require(main.inside { main.registeredObject(for: shown) })
                try onMain.inContext(context).setValue(9, forKey: "number")
            }
            #expect(try fixture.saved() == ["a|9"])
            await #expect(throws: MergeStackError.self) {
                try await fixture.onMain { main in
                    let unsaved = ItemStack.insert("new", into: main)
                    let other = NSManagedObjectContext(
                        concurrencyType: .mainQueueConcurrencyType
                    )
                    other.persistentStoreCoordinator = fixture.stack.coordinator
                    _ = try unsaved.inContext(other)
                }
            }
        }
    }
}
