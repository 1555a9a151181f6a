/// The types of module `CoreData` that the types of managed members may name.
///
/// The generator runs before the modules that a target stands on are built, so that it needs
/// stand-ins with their names.
enum CoreDataStub {
    static let classNames = [
        "NSManagedObject", "NSManagedObjectID", "NSManagedObjectContext", "NSManagedObjectModel",
        "NSEntityDescription", "NSPropertyDescription", "NSAttributeDescription",
        "NSRelationshipDescription", "NSFetchedPropertyDescription", "NSExpressionDescription",
        "NSPersistentStore", "NSPersistentStoreCoordinator", "NSPersistentContainer",
        "NSPersistentHistoryToken", "NSQueryGenerationToken", "NSMergePolicy", "NSMergeConflict",
        "UndoManager", "ValueTransformer", "NSExpression",
    ]

    static var text: String {
        "@_exported import Foundation\n"
            + classNames.map { "open class \($0): NSObject {}\n" }.joined()
            + "public protocol NSFetchRequestResult {}\n"
            + "open class NSFetchRequest<ResultType>: NSObject {}\n"
    }
}
