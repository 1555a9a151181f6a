import CoreData
import Foundation

#if canImport(ObjectiveC)
@objc(Shelf)
#endif
class Shelf: NSManagedObject {
}
