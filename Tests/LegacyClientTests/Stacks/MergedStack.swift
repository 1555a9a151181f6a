// swift-format-ignore-file: NeverForceUnwrap

import CoreData
import Foundation
import MergeStack

/// The same with the merging left to the library.
class MergedStack: DataStack {
    private let stack: NotificationMergeStack
    var mainContext: NSManagedObjectContext { return stack.mainContext }

    init(storeURL: URL) throws {
        let modelURL = Bundle.module.url(forResource: "Library", withExtension: "momd")!
        let model = NSManagedObjectModel(contentsOf: modelURL)!
        let store = NSPersistentStoreDescription(
            url: storeURL
        )
        stack = try NotificationMergeStack(
            model: model,
            stores: [store]
        )
    }

    deinit {
        stack.invalidate()
    }

    func newBackgroundContext()
        -> NSManagedObjectContext
    {
        return stack.makeBackgroundContext(
            .confinement
        )
    }
}
