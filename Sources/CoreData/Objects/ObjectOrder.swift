import Foundation

/// The order of a request's results: its sort descriptors, then the order in which the objects came
/// into being. The stores sort in the same way, so that memory and SQL agree on ties.
struct ObjectOrder {
    private let comparator: SortKeyComparator?

    init(_ descriptors: [NSSortDescriptor]) {
        comparator = descriptors.isEmpty ? nil : SortKeyComparator(descriptors)
    }

    func isAscending(_ left: NSManagedObject, _ right: NSManagedObject) -> Bool {
        isAscending(comparator?.compare(left, right), left, right)
    }

    /// An object that is compared again and again.
    typealias Subject = SortSubject<NSManagedObject>

    func isAscending(_ left: NSManagedObject, _ right: Subject) -> Bool {
        isAscending(comparator?.compare(left, right), left, right.source)
    }

    /// Sorted, each object with its keys.
    func sortedSubjects(_ objects: [NSManagedObject]) -> [Subject] {
        objects.map(Subject.init).sorted {
            isAscending(comparator?.compare($0, $1), $0.source, $1.source)
        }
    }

    func sort(_ objects: inout [NSManagedObject]) {
        guard comparator != nil else { return objects.sort { Self.rank($0) < Self.rank($1) } }
        objects = sortedSubjects(objects).map(\.source)
    }

    private func isAscending(
        _ order: ComparisonResult?,
        _ left: NSManagedObject,
        _ right: NSManagedObject
    ) -> Bool {
        switch order {
        case .orderedAscending: true
        case .orderedDescending: false
        case .orderedSame, nil: Self.rank(left) < Self.rank(right)
        }
    }

    /// Saved objects by key, then unsaved ones by age.
    private static func rank(_ object: NSManagedObject) -> (Int, Int64) {
        object.primaryKey > 0 ? (0, object.primaryKey) : (1, -object.primaryKey)
    }
}
