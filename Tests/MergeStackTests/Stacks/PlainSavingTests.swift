import CoreData
import Foundation
import StackSupport
import TestSupport
import Testing

@testable import MergeStack

/// What code does that knows nothing of stacks, and calls `save()` of the contexts that it is given.
@Suite struct PlainSavingTests {
    /// Four workers on threads of their own, each with a save after 50 rows.
    @Test(arguments: Topology.allCases, BackgroundContextKind.allCases)
    func theRowsOfWorkersAreOnDiskAndOnMain(
        _ topology: Topology,
        _ kind: BackgroundContextKind
    ) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let stack = fixture.stack
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        try await onThread {
                            let context = stack.makeBackgroundContext(kind)
                            for start in stride(from: 0, to: 150, by: 50) {
                                try context.inside {
                                    for row in start..<start + 50 {
                                        ItemStack.insert("w\(worker)", row, into: context)
                                    }
                                    try context.save()
                                }
                            }
                        }.get()
                    }
                }
                try await group.waitForAll()
            }
            let saved = try fixture.saved()
            #expect(saved.count == 600)
            await stack.settled()
            #expect(try await fixture.shown() == saved)
            #expect(try await fixture.onMain { !$0.hasChanges })
        }
    }

    @Test(arguments: Topology.allCases)
    func whatMainSavesIsOnDisk(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            try await fixture.onMain { main in
                ItemStack.insert("a", into: main)
                try main.save()
            }
            #expect(try fixture.saved() == ["a|0"])
        }
    }

    @Test(arguments: Topology.allCases)
    func aSaveThatFailsOnItsWayIsTakenUpByTheNext(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let context = fixture.stack.makeBackgroundContext()
            let stores = fixture.stack.coordinator.persistentStores
            for store in stores { store.isReadOnly = true }
            try await context.performing {
                ItemStack.insert("a", into: context)
                #expect(throws: (any Error).self) { try context.save() }
                for store in stores { store.isReadOnly = false }
                try context.save()
            }
            #expect(try fixture.saved() == ["a|0"])
        }
    }

    @Test(arguments: Topology.allCases)
    func anErrorThatNobodyTakesIsReported(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let stack = fixture.stack
            for store in stack.coordinator.persistentStores { store.isReadOnly = true }
            let context = stack.makeBackgroundContext()
            try await context.performing { _ = ItemStack.insert("a", into: context) }
            let error = try await completion { completion in
                stack.onUnhandledError = { completion($0) }
                stack.save(context)
            }
            #expect((error as NSError).domain == NSCocoaErrorDomain)
        }
    }
    /// A function that is kept as a generic value is wrapped once more each time that it is read.
    @Test func aHandlerThatWasReadOftenCanBeCalled() async throws {
        try await TopologyFixture.run(.notificationMerge) { fixture async throws in
            let stack = fixture.stack
            let error = Log<any Error>()
            stack.onUnhandledError = { error.append($0) }
            for _ in 0..<300_000 { _ = stack.onUnhandledError }
            stack.onUnhandledError(CocoaError(.userCancelled))
            #expect(error.all.map { ($0 as? CocoaError)?.code } == [.userCancelled])
        }
    }
}
