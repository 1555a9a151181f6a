import CoreData
import Foundation
import StackSupport
import TestSupport
import Testing
import Threads

@testable import MergeStack

/// How far a save goes, and who waits for it.
@Suite struct ContextStackSavingTests {
    private static let withParents: [Topology] = [
        .parentChild, .privateWriter, .perThread, .outsideWriter, .outsideMerge,
    ]

    @Test(arguments: withParents, BackgroundContextKind.allCases)
    func aSaveOfOnlySelfStopsAtTheParent(
        _ topology: Topology,
        _ kind: BackgroundContextKind
    ) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let stack = fixture.stack
            let found = await onThread {
                let context = stack.makeBackgroundContext(kind)
                return try context.inside {
                    ItemStack.insert("a", into: context)
                    try stack.saveAndWait(context, reach: .onlySelf)
                    let before = try fixture.saved()
                    let inParent = try context.parent?.inside {
                        try context.parent?.items()
                    }
                    try stack.saveAndWait(context)
                    return (before, inParent, try fixture.saved())
                }
            }
            let (before, inParent, after) = try found.get()
            #expect(before == [])
            #expect(inParent == ["a|0"])
            #expect(after == ["a|0"])
        }
    }

    @Test(arguments: Topology.allCases)
    func aSaveHasAProgressOfAUnitForEachContext(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let stack = fixture.stack
            let context = stack.makeBackgroundContext()
            try await context.performing { _ = ItemStack.insert("a", into: context) }
            let depth = Int64(sequence(first: context, next: \.parent).reduce(0) { n, _ in n + 1 })
            let whole = Progress(totalUnitCount: 0), part = Progress(totalUnitCount: 0)
            try await stack.save(context, reach: .onlySelf, progress: part)
            #expect(part.completedUnitCount == 1 && part.isFinished)
            try await stack.save(context, progress: whole)
            #expect(whole.totalUnitCount == depth)
            #expect(whole.isFinished)
        }
    }

    /// As MagicalRecord's options: all of them end in the store, with one completion on main.
    @Test(arguments: Topology.allCases, SaveWait.allCases)
    func theCompletionSaysWhenItIsOnDisk(_ topology: Topology, _ wait: SaveWait) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let stack = fixture.stack
            let context = stack.makeBackgroundContext()
            try await context.performing { _ = ItemStack.insert("a", into: context) }
            let found = try await completion { completion in
                DispatchQueue.global().async {
                    stack.save(context, waiting: wait) { result in
                        let saved = Result { try fixture.saved() }
                        completion((result, saved, MainQueue.isCurrent))
                    }
                }
            }
            try found.0.get()
            #expect(try found.1.get() == ["a|0"])
            #expect(found.2)
        }
    }

    @Test(arguments: withParents)
    func waitingForAllButRootPutsItInTheParentAtOnce(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let stack = fixture.stack
            let done = DispatchSemaphore(value: 0)
            let isSaved = await onThread {
                let context = stack.makeBackgroundContext()
                return try context.inside {
                    ItemStack.insert("a", into: context)
                    stack.save(context, waiting: .allButRoot) { _ in done.signal() }
                    return try !context.hasChanges
                        && context.parent?.performAndWait {
                            try context.parent?.items()
                        } == ["a|0"]
                }
            }
            #expect(try isSaved.get())
            let wait = await onThread { done.wait(timeout: .now() + 600) }
            #expect(try wait.get() == .success)
            #expect(try fixture.saved() == ["a|0"])
        }
    }

    /// IDs that a worker hands out are good for ever, however many parents save later.
    @Test(arguments: Topology.allCases)
    func newObjectsHavePermanentIDsInEveryParent(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let stack = fixture.stack
            let context = stack.makeBackgroundContext()
            let id = try await context.performing {
                let item = ItemStack.insert("a", into: context)
                try stack.saveAndWait(context, reach: .onlySelf)
                return item.objectID
            }
            #expect(!id.isTemporaryID)
            try await stack.save(context)
            await stack.settled()
            let name = try await fixture.onMain { main in
                try main.existingObject(with: id).value(forKey: "name") as? String
            }
            #expect(name == "a")
        }
    }

    @Test func inParentChildUnsavedEditsOfMainAreSavedAlong() async throws {
        try await TopologyFixture.run(.parentChild) { fixture async throws in
            try await fixture.onMain { _ = ItemStack.insert("draft", into: $0) }
            try await fixture.insert("a")
            #expect(try fixture.saved() == ["a|0", "draft|0"])
        }
    }

    @Test func inNotificationMergeUnsavedEditsOfMainStayUnsaved() async throws {
        try await TopologyFixture.run(.notificationMerge) { fixture async throws in
            try await fixture.onMain { _ = ItemStack.insert("draft", into: $0) }
            try await fixture.insert("a")
            #expect(try fixture.saved() == ["a|0"])
        }
    }

    @Test func inASingleContextFailingWorkLeavesUnsavedEditsAlone() async throws {
        try await TopologyFixture.run(.singleContext) { fixture async throws in
            try await fixture.onMain { _ = ItemStack.insert("draft", into: $0) }
            await #expect(throws: CocoaError.self) {
                try await fixture.stack.performBackground { _ in
                    throw CocoaError(.userCancelled)
                }
            }
            #expect(try await fixture.shown() == ["draft|0"])
        }
    }

    @Test func thePrivateWriterIsBelowMain() async throws {
        let folder = try ItemFolder()
        let stack = try PrivateWriterStack(
            model: ItemStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        #expect(stack.mainContext.parent === stack.writerContext)
        #expect(stack.writerContext.concurrencyType == .privateQueueConcurrencyType)
        #expect(stack.makeBackgroundContext().parent === stack.mainContext)
        try await MainActor.run { try stack.tearDown() }
    }
}
