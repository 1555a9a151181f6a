#if PostgreSQL
import Foundation

/// Rows that others have changed, with what of them.
struct TouchedRows {
    /// By the root of their tree and their key: the names of the changed properties, or nil for rows
    /// that have come or gone.
    private(set) var properties: [Int: [Int64: Set<String>?]] = [:]
    private let model: ModelLayout

    init(_ model: ModelLayout) { self.model = model }

    var isEmpty: Bool { properties.isEmpty }

    mutating func add(_ change: HistoryWriter.Change) {
        let root = model.entities[change.reference.entityIndex].rootIndex
        let key = change.reference.primaryKey
        guard change.type == .update else {
            properties[root, default: [:]].updateValue(nil, forKey: key)
            return
        }
        switch properties[root]?[key] {
        case .some(.some(let known)):
            properties[root]?.updateValue(known.union(change.properties), forKey: key)
        // As a whole already.
        case .some(.none): break
        case .none: properties[root, default: [:]].updateValue(change.properties, forKey: key)
        }
    }

    /// Adds rows of a tree as a whole.
    mutating func add(_ keys: Set<Int64>, rootIndex: Int) {
        for key in keys { properties[rootIndex, default: [:]].updateValue(nil, forKey: key) }
    }

    /// The keys of a tree, in ascending order.
    func keys(rootIndex: Int) -> [Int64] { (properties[rootIndex]?.keys).map { $0.sorted() } ?? [] }

    /// The keys of the rows whose content of a relationship may be another one.
    func owners(of place: DeclaredSlot) -> [Int64] {
        let entity = model.entities[place.entity]
        let name = entity.slots[place.slot].name
        return (properties[entity.rootIndex] ?? [:]).compactMap { key, names in
            names?.contains(name) ?? true ? key : nil
        }
        .sorted()
    }
}
#endif
