import Foundation

/// An index that a store should keep for an entity's fetches.
///
/// > Threading: Change it on one thread until its model is in use.
open class NSFetchIndexDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // @unchecked: frozen before it is shared, see `checkMutable`.

    /// Whether it was made of a compound index, as older models have them.
    var standsForCompoundIndex = false
    /// The index's name, unique in its entity.
    open var name: String { willSet { checkMutable() } }
    /// What is indexed, the most significant first.
    open var elements: [NSFetchIndexElementDescription] {
        willSet { checkMutable() }
        didSet { adoptElements() }
    }
    /// The entity that has the index.
    open internal(set) weak var entity: NSEntityDescription? {
        get { heldEntity.object }
        set { heldEntity = WeakHold(newValue) }
    }
    private var heldEntity = WeakHold<NSEntityDescription>()
    /// Which rows the index holds; nil for all.
    open var partialIndexPredicate: NSPredicate? { willSet { checkMutable() } }

    /// Makes an index without a name and elements, which it is given later.
    override public init() {
        name = ""
        elements = []
        super.init()
    }

    /// Makes an index.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adoptElements()
    }

    /// True: an archive holds plain values.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an index from an archive; nil, with the coder's error set, if it holds something else.
    ///
    /// Its elements know their properties by name only.
    public required init?(coder: NSCoder) {
        name = ""
        elements = []
        super.init()
        guard let fields = DescriptionFields.read(from: coder) else { return nil }
        // On its own, an index knows no entity to find its properties in.
        take(fields) { _ in nil }
    }

    /// Writes the index with its elements to an archive.
    open func encode(with coder: NSCoder) {
        archivedFields.write(of: "the index \"\(name)\"", to: coder)
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
        // Shared, since predicates don't change.
        copy.partialIndexPredicate = partialIndexPredicate
        copy.standsForCompoundIndex = standsForCompoundIndex
        return copy
    }

    private func adoptElements() {
        for element in elements { element.indexDescription = self }
    }

    /// Traps if the model is in use.
    func checkMutable() { entity?.checkMutable() }
}
