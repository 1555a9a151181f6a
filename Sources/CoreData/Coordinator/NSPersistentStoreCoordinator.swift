import Foundation

/// (skeleton)
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {}
