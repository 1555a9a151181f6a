import Foundation

/// An index that a store should keep for an entity's fetches.
///
/// > Threading: Change it on one thread until its model is in use.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked: frozen before it is shared, see `checkMutable`.

    /// The index's name, unique in its entity.
    open var name: String { willSet { checkMutable() } }
    /// What is indexed, the most significant first.
    open var elements: [NSFetchIndexElementDescription] {
        willSet { checkMutable() }
        didSet { adoptElements() }
    }
    /// The entity that has the index.
    public internal(set) weak var entity: NSEntityDescription?
    /// Which rows the index holds; nil for all.
    open var partialIndexPredicate: NSPredicate? { willSet { checkMutable() } }

    /// Makes an index.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adoptElements()
    }

    /// A copy with copies of the elements, in no entity.
    open func copy(with zone: NSZone? = nil) -> Any { copy(resolving: { _ in nil }) }

    /// A copy with copies of the elements; where `property` gives nil for a name, the copy keeps
    /// the element's own property.
    func copy(resolving property: (String) -> NSPropertyDescription?) -> NSFetchIndexDescription {
        let copy = NSFetchIndexDescription(
            name: name,
            elements: elements.map { element in
                element.copy(property: element.propertyName.flatMap(property))
            }
        )
        copy.partialIndexPredicate = partialIndexPredicate
        return copy
    }

    private func adoptElements() {
        for element in elements { element.indexDescription = self }
    }

    /// Traps if the model is in use.
    func checkMutable() { entity?.checkMutable() }
}
