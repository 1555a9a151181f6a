import CoreData
import Foundation
import MergeStack
import TestSupport
import Testing

/// A folder for a store of items and what else a test writes, removed with it.
package final class ItemFolder: Sendable {
    package let url: URL
    package var storeURL: URL { url.appendingPathComponent("items.sqlite") }

    package init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("MergeStackTests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Issue.record(error)
        }
    }

    package func description(_ kind: StoreKind) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: storeURL)
        description.type = kind.type
        return description
    }

    /// The items in the store's file as others see it: `name|number`, sorted.
    package func itemsOnDisk() throws -> [String] {
        if SQLiteShell.isThere {
            return try SQLiteShell.rows(storeURL, "SELECT ZNAME, ZNUMBER FROM ZITEM").sorted()
        }
        let stack = try SingleContextStack(
            model: ItemStack.makeModel(),
            stores: [description(.sqlite)]
        )
        return try stack.coordinator.items()
    }
}
