import Foundation

/// The order of a request's results: its sort descriptors, then the order in which the objects came
/// into being. The stores sort in the same way, so that memory and SQL agree on ties.
struct ObjectOrder {
    private let comparator: SortKeyComparator?

    init(_ descriptors: [NSSortDescriptor]) {
        comparator = descriptors.isEmpty ? nil : SortKeyComparator(descriptors)
    }

    func isAscending(_ left: NSManagedObject, _ right: NSManagedObject) -> Bool {
        if let comparator {
            switch comparator.compare(left, right) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: break
            }
        }
        return Self.rank(left) < Self.rank(right)
    }

    /// Saved objects by key, then unsaved ones by age.
    private static func rank(_ object: NSManagedObject) -> (Int, Int64) {
        object.primaryKey > 0 ? (0, object.primaryKey) : (1, -object.primaryKey)
    }
}
