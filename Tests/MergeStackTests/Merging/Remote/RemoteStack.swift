import CoreData
import StackSupport
import TestSupport
import XCTest

@testable import MergeStack

/// Two stacks on one file, as two processes would have them: one that merges what the other
/// writes.
final class RemoteStack: Sendable {
    let directory: URL
    let storeURL: URL
    let stack: NotificationMergeStack
    let other: NotificationMergeStack
    let reports = Log<MergeReport>()
    var main: NSManagedObjectContext { stack.mainContext }

    /// - Parameter isTold: Whether the first one hears of the other's commits by itself.
    init(
        _ remoteChanges: MergeOptions.RemoteChanges = .merged,
        isTold: Bool = true,
        model: () -> NSManagedObjectModel = { ItemStack.makeModel() }
    ) throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("MergeStackTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        storeURL = directory.appendingPathComponent("items.sqlite")
        let reports = reports
        stack = try NotificationMergeStack(
            model: model(),
            stores: [Self.store(storeURL, isTold: isTold)],
            options: MergeOptions(remoteChanges: remoteChanges) { reports.append($0) }
        )
        other = try NotificationMergeStack(
            model: model(),
            stores: [Self.store(storeURL, isTold: false)]
        )
    }

    private static func store(_ url: URL, isTold: Bool) -> NSPersistentStoreDescription {
        let store = NSPersistentStoreDescription(url: url)
        store.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        store.setOption(
            NSNumber(value: isTold),
            forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey
        )
        return store
    }

    func remove() throws {
        try stack.tearDown()
        try other.tearDown()
        try FileManager.default.removeItem(at: directory)
    }

    /// The reports on merges of the history.
    var historyReports: [MergeReport] { reports.all.filter { $0.origin == .history } }

    /// Changes the number of an item.
    static func update(
        _ name: String,
        to number: Int,
        in stack: NotificationMergeStack,
        author: String? = nil
    ) throws {
        try stack.performBackgroundAndWait { context in
            context.transactionAuthor = author
            try ItemStack.fetch(name, in: context).setValue(number, forKey: "number")
        }
    }

    @discardableResult
    static func insert(
        _ name: String,
        _ number: Int,
        in stack: NotificationMergeStack
    ) throws -> URL {
        try stack.performBackgroundAndWait { context in
            let item = ItemStack.insert(name, number, into: context)
            try context.obtainPermanentIDs(for: [item])
            return item.objectID.uriRepresentation()
        }
    }
}

extension XCTestCase {
    /// Reads the history now, instead of waiting for the system to tell of it.
    func catchUp(_ remote: RemoteStack) {
        let done = expectation(description: "caught up")
        remote.stack.merger.mergeRemoteChanges { result in
            if case .failure(let error) = result { XCTFail("\(error)") }
            done.fulfill()
        }
        wait(for: [done], timeout: patience)
    }
}
