import Foundation

/// A fetch request of any result type, for the engine.
protocol AnyFetchRequest: NSPersistentStoreRequest {
    var entity: NSEntityDescription? { get set }
    var entityName: String? { get }
    var predicate: NSPredicate? { get set }
    var sortDescriptors: [NSSortDescriptor]? { get set }
    var fetchLimit: Int { get set }
    var fetchOffset: Int { get set }
    var fetchBatchSize: Int { get set }
    var resultType: NSFetchRequestResultType { get set }
    var includesSubentities: Bool { get set }
    var includesPropertyValues: Bool { get set }
    var includesPendingChanges: Bool { get set }
    var returnsObjectsAsFaults: Bool { get set }
    var returnsDistinctResults: Bool { get set }
    var relationshipKeyPathsForPrefetching: [String]? { get set }
    var propertiesToFetch: [Any]? { get set }
    var propertiesToGroupBy: [Any]? { get set }
    var havingPredicate: NSPredicate? { get set }
    var shouldRefreshRefetchedObjects: Bool { get set }
}

extension NSFetchRequest: AnyFetchRequest {
    /// This request as one of any result type, see ``RequestClasses``.
    var erased: NSFetchRequest<any NSFetchRequestResult> {
        unsafeBitCast(self, to: NSFetchRequest<any NSFetchRequestResult>.self)
    }
}
