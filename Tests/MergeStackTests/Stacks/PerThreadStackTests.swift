import CoreData
import Foundation
import StackSupport
import TestSupport
import Testing
import Threads

@testable import MergeStack

/// What is special to contexts as MagicalRecord lays them out.
@Suite struct PerThreadStackTests {
    private func withStack(
        _ test: (PerThreadStack, ItemFolder) async throws -> Void
    ) async throws {
        let folder = try ItemFolder()
        let stack = try PerThreadStack(
            model: ItemStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        try await test(stack, folder)
        try await MainActor.run { try stack.tearDown() }
    }

    @Test func aThreadKeepsItsContextAndSharesItWithNone() async throws {
        try await withStack { stack, _ async throws in
            let names = try await onThread {
                let first = try stack.contextForCurrentThread()
                let second = try stack.contextForCurrentThread()
                #expect(first === second)
                #expect(first.parent === stack.rootContext)
                #expect(first.isConfined)
                return ObjectIdentifier(first)
            }
            .get()
            let other = try await onThread {
                ObjectIdentifier(try stack.contextForCurrentThread())
            }
            .get()
            // The first thread has ended, and its context with it, so its address may be had again:
            // what tells is that main has its own.
            let main = try await MainActor.run { try stack.contextForCurrentThread() }
            #expect(main === stack.mainContext)
            #expect(names != ObjectIdentifier(main) && other != ObjectIdentifier(main))
        }
    }

    @Test func twoThreadsAtATimeHaveTwoContexts() async throws {
        try await withStack { stack, _ async throws in
            let isOther = try await onThread {
                let mine = try stack.contextForCurrentThread()
                let done = DispatchSemaphore(value: 0)
                let others = Log<Bool>()
                ContextThread.start(name: "other") {
                    others.append((try? stack.contextForCurrentThread()) !== mine)
                    done.signal()
                }
                #expect(done.wait(timeout: .now() + patience) == .success)
                return others.all == [true]
            }
            .get()
            #expect(isOther)
        }
    }

    @Test func aContextEndsWithItsThread() async throws {
        try await withStack { stack, _ async throws in
            let context = try await onThread {
                WeakReference(try stack.contextForCurrentThread())
            }
            .get()
            try await eventually("the context's end") { context.object == nil }
        }
    }

    @Test func aThreadGetsNewContextInANewGeneration() async throws {
        try await withStack { stack, _ async throws in
            try await onThread {
                let first = try stack.contextForCurrentThread()
                ItemStack.insert("unsaved", into: first)
                stack.forgetThreadContexts()
                let second = try stack.contextForCurrentThread()
                #expect(first !== second)
                #expect(try second.items() == [])
                #expect(try stack.contextForCurrentThread() === second)
            }
            .get()
        }
    }

    @Test func aThreadOfAPoolDoesNotKeepTheContextOfATornDownStack() async throws {
        let folder = try ItemFolder()
        let context = Log<WeakReference<NSManagedObjectContext>>()
        let goOn = DispatchSemaphore(value: 0), isThere = DispatchSemaphore(value: 0)
        var stack: PerThreadStack? = try PerThreadStack(
            model: ItemStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        let ended = Log<Bool>()
        ContextThread.start(name: "pool") { [weak stack] in
            if let context1 = try? stack?.contextForCurrentThread() {
                context.append(WeakReference(context1))
            }
            isThere.signal()
            goOn.wait()
            ended.append(true)
        }
        let wait = await onThread { isThere.wait(timeout: .now() + patience) }
        #expect(try wait.get() == .success)
        #expect(context.all.first?.object != nil)
        try await MainActor.run { [stack] in try stack?.tearDown() }
        #expect(context.all.first?.object == nil)
        #expect(throws: MergeStackError.self) { try threadContext(stack) }
        stack = nil
        goOn.signal()
    }

    private func threadContext(_ stack: PerThreadStack?) throws -> NSManagedObjectContext? {
        try stack?.contextForCurrentThread()
    }

    // MARK: Echo

    @Test func mainIsNotToldOfItsOwnSaves() async throws {
        try await withStack { stack, folder async throws in
            let refreshed = Log<Int>()
            let main = stack.mainContext
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange,
                object: nil,
                queue: nil
            ) { notification in
                guard notification.object as? NSManagedObjectContext === main else { return }
                refreshed.append(notification.changedObjects(NSRefreshedObjectsKey).count)
            }
            defer { NotificationCenter.default.removeObserver(token) }
            try await main.performing {
                let item = ItemStack.insert("a", into: main)
                try stack.saveAndWait(main)
                item.setValue(1, forKey: "number")
                try stack.saveAndWait(main)
                main.delete(item)
                ItemStack.insert("b", into: main)
                try stack.saveAndWait(main)
            }
            await stack.settled()
            #expect(stack.merger.statistics.mergeCount == 0)
            #expect(stack.merger.statistics.droppedCounts[.echo] == 3)
            #expect(refreshed.all.allSatisfy { $0 == 0 })
            #expect(try folder.itemsOnDisk() == ["b|0"])
            #expect(try await main.performing { try main.items() } == ["b|0"])
        }
    }

    @Test func aSaveOfMainsAndOthersChangesIsMerged() async throws {
        try await withStack { stack, folder async throws in
            let main = stack.mainContext
            try await stack.performBackground { _ = ItemStack.insert("a", 1, into: $0) }
            let held = try await main.performing { try ObjectReference(main.item("a")) }
            let worker = stack.makeBackgroundContext()
            try await worker.performing {
                try worker.item("a").setValue(2, forKey: "number")
                try stack.saveAndWait(worker, reach: .onlySelf)
            }
            try await main.performing {
                ItemStack.insert("m", into: main)
                try stack.saveAndWait(main)
            }
            await stack.settled()
            let number = try await main.performing {
                try held.resolve(in: main).value(forKey: "number") as? Int
            }
            #expect(number == 2)
            #expect(stack.merger.statistics.mergeCount == 2)
            #expect(try folder.itemsOnDisk() == ["a|2", "m|0"])
        }
    }

    /// The worker's save is in the store before main's, and is merged after it.
    @Test func anOlderSaveOfAWorkerNeverReplacesWhatMainHasSavedSince() async throws {
        try await withStack { stack, folder async throws in
            let main = stack.mainContext
            try await main.performing {
                ItemStack.insert("a", 1, into: main)
                try stack.saveAndWait(main)
            }
            try await main.performing {
                let item = try main.item("a")
                // Main is busy, so that the worker's save waits to be merged.
                let isSaved = DispatchSemaphore(value: 0)
                ContextThread.start(name: "worker") {
                    let worker = stack.makeBackgroundContext()
                    worker.performAndWait {
                        (try? worker.item("a"))?.setValue(10, forKey: "number")
                        try? stack.saveAndWait(worker)
                    }
                    isSaved.signal()
                }
                #expect(isSaved.wait(timeout: .now() + patience) == .success)
                item.setValue(2, forKey: "number")
                try stack.saveAndWait(main)
                stack.waitUntilSettled(timeout: patience)
                #expect(item.value(forKey: "number") as? Int == 2)
                item.setValue(3, forKey: "number")
                try stack.saveAndWait(main)
            }
            await stack.settled()
            #expect(try folder.itemsOnDisk() == ["a|3"])
            #expect(try await main.performing { try main.items() } == ["a|3"])
        }
    }

    @Test func whatIsChangedInTheRootIsMergedAfterASaveOfMain() async throws {
        try await withStack { stack, _ async throws in
            let main = stack.mainContext, root = stack.rootContext
            try await main.performing {
                ItemStack.insert("m", into: main)
                try stack.saveAndWait(main, reach: .onlySelf)
            }
            try await root.performing {
                _ = ItemStack.insert("r", into: root)
                try root.save()
            }
            await stack.settled()
            #expect(stack.merger.statistics.mergeCount == 1)
            #expect(try await main.performing { try main.items() } == ["m|0", "r|0"])
        }
    }

    /// A save that is not in the store yet is nobody's business.
    @Test func savesToTheRootAreNotMergedBeforeItSaves() async throws {
        try await withStack { stack, _ async throws in
            let worker = stack.makeBackgroundContext()
            try await worker.performing {
                _ = ItemStack.insert("a", into: worker)
                try stack.saveAndWait(worker, reach: .onlySelf)
            }
            await stack.settled()
            #expect(stack.merger.statistics.mergeCount == 0)
            #expect(stack.merger.statistics.droppedCounts[.nested] == 1)
        }
    }

    @Test func threadContextsSaveToTheStore() async throws {
        try await withStack { stack, folder async throws in
            try await onThread {
                let context = try stack.contextForCurrentThread()
                ItemStack.insert("a", into: context)
                try stack.saveAndWait(context)
            }
            .get()
            #expect(try folder.itemsOnDisk() == ["a|0"])
            await stack.settled()
            let main = stack.mainContext
            #expect(try await main.performing { try main.items() } == ["a|0"])
        }
    }
}
