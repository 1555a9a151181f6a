import CoreData
import MergeStack
import StackSupport
import TestSupport
import Testing

/// What a layout says about itself, and mistakes in it.
@Suite struct ContextLayoutTests {
    private static func makeMain(on store: TestStack) -> NSManagedObjectContext {
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = store.coordinator
        return main
    }

    private static func expect(_ words: String, in result: ExitTest.Result?) {
        let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(message.contains(words), "\(message)")
    }

    @Test func allContextsOfALayoutHaveThePolicyOfStacks() throws {
        let store = try TestStack(.inMemory, model: ItemStack.makeModel())
        for topology in Topology.allCases {
            let stack = topology.make(coordinator: store.coordinator)
            let parents = sequence(first: stack.mainContext, next: \.parent)
            for context in Array(parents) + [stack.makeBackgroundContext()] {
                let policy = context.mergePolicy as? NSMergePolicy
                #expect(policy?.mergeType == .mergeByPropertyObjectTrumpMergePolicyType)
            }
        }
    }

    @Test func backgroundContextsStandWhereTheLayoutSays() throws {
        let store = try TestStack(.inMemory, model: ItemStack.makeModel())
        for topology in Topology.allCases {
            let stack = topology.make(coordinator: store.coordinator)
            let context = stack.makeBackgroundContext(.privateQueue, name: "x")
            switch topology {
            case .singleContext, .outsideWriter: #expect(context === stack.mainContext)
            case .parentChild, .privateWriter: #expect(context.parent === stack.mainContext)
            case .notificationMerge, .perThread, .outsideMerge:
                #expect(context.parent === stack.mainContext.parent)
                #expect(context !== stack.mainContext && context.name == "x")
            }
            let isMerged = context !== stack.mainContext && context.parent !== stack.mainContext
            #expect((stack.layout.merger != nil) == isMerged)
        }
    }

    @Test func aMergerOfAnotherContextIsRefused() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = try TestStack(.inMemory, model: ItemStack.makeModel())
            let other = DidSaveMerger(into: Self.makeMain(on: store))
            _ = ContextLayout(main: Self.makeMain(on: store), background: .besideMain(other))
        }
        Self.expect("the merger merges into another context", in: result)
    }

    @Test func synchronousDeliveryToAMainContextWithAParentIsRefused() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = try TestStack(.inMemory, model: ItemStack.makeModel())
            let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            main.parent = store.makeContext()
            let merger = DidSaveMerger(into: main, options: MergeOptions(delivery: .synchronous))
            _ = ContextLayout(main: main, background: .besideMain(merger))
        }
        Self.expect("deliver asynchronously", in: result)
    }

    @Test func aMainContextThatMergesByItselfIsRefused() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = try TestStack(.inMemory, model: ItemStack.makeModel())
            let main = Self.makeMain(on: store)
            main.automaticallyMergesChangesFromParent = true
            _ = ContextLayout(main: main, background: .besideMain(DidSaveMerger(into: main)))
        }
        Self.expect("turn automaticallyMergesChangesFromParent", in: result)
    }
}
