import CoreData
import Foundation
import StackSupport
import TestSupport
import Testing
import Threads

@testable import MergeStack

private let stores: [StoreKind] = [.sqlite, .inMemory]

/// What every stack does, whatever its layout.
@Suite struct TopologyTests {
    @Test(arguments: Topology.allCases, stores)
    func insertionsInTheBackgroundAreOnDiskAndOnMain(
        _ topology: Topology,
        _ kind: StoreKind
    ) async throws {
        try await TopologyFixture.run(topology, kind) { fixture async throws in
            for (index, context) in BackgroundContextKind.allCases.enumerated() {
                let reference = try await fixture.stack.performBackground(context) { context in
                    try ObjectReference(ItemStack.insert("n\(index)", index, into: context))
                }
                let expected = ["n0|0", "n1|1"].prefix(index + 1)
                #expect(try fixture.saved() == Array(expected))
                #expect(try await fixture.shown() == Array(expected))
                let isThere = try await fixture.onMain { main in
                    try reference.resolve(in: main).value(forKey: "name") as? String == "n\(index)"
                }
                #expect(isThere)
            }
        }
    }

    @Test(arguments: Topology.allCases, BackgroundContextKind.allCases)
    func theCompletionRunsOnTheMainQueueWhenItIsOnDisk(
        _ topology: Topology,
        _ context: BackgroundContextKind
    ) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let found = try await completion { completion in
                fixture.stack.performBackground(context) { context in
                    ItemStack.insert("a", into: context)
                    return 7
                } completion: { result in
                    let isOnMain = MainQueue.isCurrent
                    let saved = Result { try fixture.saved() }
                    let shown = Result { try fixture.stack.mainContext.items() }
                    completion((result, isOnMain, saved, shown))
                }
            }
            #expect(try found.0.get() == 7)
            #expect(found.1)
            #expect(try found.2.get() == ["a|0"])
            #expect(try found.3.get() == ["a|0"])
        }
    }

    @Test(arguments: Topology.allCases, BackgroundContextKind.allCases)
    func theBlockingFormReturnsWhenItIsOnDisk(
        _ topology: Topology,
        _ context: BackgroundContextKind
    ) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let found = await onThread {
                try fixture.stack.performBackgroundAndWait(context) { context in
                    _ = ItemStack.insert("a", into: context)
                }
                let saved = try fixture.saved()
                return (saved, fixture.stack.waitUntilSettled())
            }
            #expect(try found.get().0 == ["a|0"])
            #expect(try found.get().1)
            #expect(try await fixture.shown() == ["a|0"])
        }
    }

    @Test(arguments: Topology.allCases, BackgroundContextKind.allCases)
    func theMainQueueMayDoTheWorkItself(
        _ topology: Topology,
        _ context: BackgroundContextKind
    ) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let shown = try await fixture.onMain { main in
                try fixture.stack.performBackgroundAndWait(context) { context in
                    _ = ItemStack.insert("a", into: context)
                }
                fixture.stack.waitUntilSettled()
                return try main.items()
            }
            #expect(shown == ["a|0"])
            #expect(try fixture.saved() == ["a|0"])
        }
    }

    @Test(arguments: Topology.allCases, stores)
    func workThatThrowsLeavesNothing(_ topology: Topology, _ kind: StoreKind) async throws {
        try await TopologyFixture.run(topology, kind) { fixture async throws in
            for context in BackgroundContextKind.allCases {
                await #expect(throws: CocoaError.self) {
                    try await fixture.stack.performBackground(context) { context in
                        ItemStack.insert("a", into: context)
                        throw CocoaError(.userCancelled)
                    }
                }
                _ = try await fixture.stack.performBackground(context, saves: false) { context in
                    ItemStack.insert("b", into: context).objectID
                }
            }
            #expect(try fixture.saved() == [])
            #expect(try await fixture.shown() == [])
            #expect(try await fixture.onMain { !$0.hasChanges })
        }
    }

    @Test(arguments: Topology.allCases, stores)
    func editsOnMainOutliveBackgroundSaves(_ topology: Topology, _ kind: StoreKind) async throws {
        try await TopologyFixture.run(topology, kind) { fixture async throws in
            try await fixture.insert("a", "b")
            try await fixture.onMain { main in
                try main.item("a").setValue(5, forKey: "number")
                ItemStack.insert("new", 1, into: main)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        for round in 0..<5 {
                            try await fixture.stack.performBackground { context in
                                ItemStack.insert("w\(worker)", round, into: context)
                                try context.item("b").setValue(worker + 1, forKey: "number")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let shown = try await fixture.shown()
            #expect(shown.count == 23)
            #expect(shown.contains("a|5") && shown.contains("new|1") && !shown.contains("b|0"))
            try await fixture.stack.save(fixture.stack.mainContext)
            #expect(try fixture.saved() == shown)
        }
    }

    @Test(arguments: Topology.allCases, stores)
    func deletionsInTheBackgroundReachMain(_ topology: Topology, _ kind: StoreKind) async throws {
        try await TopologyFixture.run(topology, kind) { fixture async throws in
            try await fixture.insert("a", "b")
            let held = try await fixture.onMain { main in
                main.retainsRegisteredObjects = true
                return try main.item("a").objectID
            }
            try await fixture.stack.performBackground { $0.delete(try $0.item("a")) }
            #expect(try await fixture.shown() == ["b|0"])
            #expect(try fixture.saved() == ["b|0"])
            let isGone = try await fixture.onMain { main in
                guard let object = main.registeredObject(for: held) else { return true }
                return object.isDeleted || object.managedObjectContext == nil
            }
            #expect(isGone)
        }
    }

    /// The policy that all stacks document: what a context changed itself wins, property by
    /// property, and the last save has the last word.
    @Test(arguments: Topology.allCases, stores)
    func ofConflictingEditsTheLastSaveWins(_ topology: Topology, _ kind: StoreKind) async throws {
        try await TopologyFixture.run(topology, kind) { fixture async throws in
            try await fixture.insert("a")
            let stack = fixture.stack
            try await stack.performBackground { context in
                let item = try context.item("a")
                #expect(item.value(forKey: "number") as? Int == 0)
                try stack.mainContext.inside {
                    let shown = try stack.mainContext.item("a")
                    shown.setValue("renamed", forKey: "name")
                    shown.setValue(1, forKey: "number")
                    try stack.saveAndWait(stack.mainContext)
                }
                item.setValue(2, forKey: "number")
            }
            #expect(try fixture.saved() == ["renamed|2"])
            #expect(try await fixture.shown() == ["renamed|2"])
            #expect(try await fixture.onMain { !$0.hasChanges })
        }
    }

    @Test(arguments: Topology.allCases, stores)
    func aSaveThatFailsSaysSo(_ topology: Topology, _ kind: StoreKind) async throws {
        try await TopologyFixture.run(topology, kind) { fixture async throws in
            try await fixture.insert("a")
            for store in fixture.stack.coordinator.persistentStores { store.isReadOnly = true }
            await #expect(throws: (any Error).self) { try await fixture.insert("b") }
            #expect(try fixture.saved() == ["a|0"])
        }
    }

    @Test(arguments: Topology.allCases)
    func tearDownLeavesNothing(_ topology: Topology) async throws {
        let folder = try ItemFolder()
        let model = ItemStack.makeModel()
        var stack: (any ContextStack)? = try topology.make(
            model: model,
            stores: [folder.description(.sqlite)]
        )
        weak let coordinator = stack?.coordinator
        weak let main = stack?.mainContext
        try await stack?.performBackground { context in
            _ = ItemStack.insert("a", into: context)
        }
        try await MainActor.run { [stack] () throws in
            #expect(try stack?.mainContext.items() == ["a|0"])
            try stack?.tearDown()
            #expect(stack?.mainContext.registeredObjects.isEmpty == true)
        }
        #expect(stack?.isInvalidated == true)
        #expect(coordinator?.persistentStores.isEmpty == true)
        do {
            _ = try await stack?.performBackground { _ in true }
            Issue.record("A stack that is gone took work.")
        } catch {
            #expect((error as? MergeStackError)?.code == .invalidated)
        }
        stack = nil
        // Blocks that the queues had left may be the last to hold a context.
        await MainActor.run {}
        #expect(coordinator == nil)
        #expect(main == nil)
        #expect(try folder.itemsOnDisk() == ["a|0"])
    }

    /// The stack may be put on a coordinator that is there already.
    @Test(arguments: Topology.allCases)
    func aStackIsMadeOnACoordinator(_ topology: Topology) async throws {
        let store = try TestStack(.sqlite, model: ItemStack.makeModel())
        let stack = topology.make(coordinator: store.coordinator)
        try await stack.performBackground { context in
            _ = ItemStack.insert("a", into: context)
        }
        #expect(try store.coordinator.items() == ["a|0"])
    }
}
