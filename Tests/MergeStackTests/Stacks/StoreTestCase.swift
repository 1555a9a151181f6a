import CoreData
import MergeStack
import StackSupport
import XCTest

/// Tests that run over a store in a file, and in a subclass over one in memory.
class StoreTestCase: XCTestCase {
    var storeType: String { NSSQLiteStoreType }

    /// A new stack over a store of the type.
    func makeItems(
        _ options: MergeOptions = MergeOptions(),
        itemClass: NSManagedObject.Type = NSManagedObject.self
    ) throws -> ItemStack {
        try ItemStack(options, storeType: storeType, itemClass: itemClass)
    }
}
