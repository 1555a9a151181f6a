import CoreData
import Foundation
import StackSupport
import Testing

@testable import MergeStack

/// Merging in a process whose main function is asynchronous, as Swift Testing's is: there the main
/// queue is not on the main thread.
@Suite struct AsyncMainTests {
    @Test func savesOfTheBackgroundAreMerged() async throws {
        let items = try ItemStack()
        for kind in BackgroundContextKind.allCases {
            try await items.stack.performBackground(kind) { context in
                ItemStack.insert("a", into: context)
                return true
            }
        }
        #expect(items.stack.merger.statistics.mergeCount == 2)
        await MainActor.run { items.remove() }
    }

    @Test func aContextSavedOnTheMainQueueIsMergedInline() async throws {
        let reports = Log<MergeReport>()
        let items = try ItemStack(
            MergeOptions(delivery: .synchronous(timeout: 30)) { reports.append($0) }
        )
        try await MainActor.run {
            try items.stack.performBackgroundAndWait(.confinement) { context in
                _ = ItemStack.insert("on main", into: context)
            }
        }
        let merged = reports.all.filter { $0.dropReason == nil }
        #expect(merged.map(\.delivery) == [.inline])
        #expect(merged.map(\.isHandedOver) == [false])
        await MainActor.run { items.remove() }
    }

    /// The main queue is inside another queue's block, which Dispatch tells nothing of.
    @Test func aPrivateContextSavedFromTheMainQueueIsMergedInline() async throws {
        let reports = Log<MergeReport>()
        let items = try ItemStack(
            MergeOptions(delivery: .synchronous(timeout: 30)) { reports.append($0) }
        )
        try await MainActor.run {
            try items.stack.performBackgroundAndWait(.privateQueue) { context in
                _ = ItemStack.insert("on main", into: context)
            }
        }
        let merged = reports.all.filter { $0.dropReason == nil }
        #expect(merged.map(\.delivery) == [.inline])
        #expect(merged.map(\.isHandedOver) == [false])
        await MainActor.run { items.remove() }
    }

    /// A wait there would last until its timeout: main can't merge before it returns.
    @Test func allIsMergedWhereMainWaitsForItInsideOfAnotherContext() async throws {
        let items = try ItemStack()
        try await MainActor.run {
            let context = items.stack.makeBackgroundContext()
            let isSettled = try context.inside {
                ItemStack.insert("a", into: context)
                try context.save()
                return items.stack.waitUntilSettled(timeout: 5)
            }
            #expect(isSettled)
            #expect(items.stack.merger.statistics.mergeCount == 1)
        }
        await MainActor.run { items.remove() }
    }
}
