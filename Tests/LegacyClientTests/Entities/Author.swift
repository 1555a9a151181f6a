import CoreData
import Foundation

#if canImport(ObjectiveC)
@objc(Author)
#endif
class Author: NSManagedObject {
    var averageRating: Double {
        return value(forKeyPath: "books.@avg.rating") as? Double ?? 0
    }
}
