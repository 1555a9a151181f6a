import Synchronization

/// One entity, compiled when its model is first used: dense slots for the properties, with the
/// inherited ones first, so that a slot means the same in every sub-entity.
///
/// > Threading: Immutable; any thread.
final class EntityLayout: @unchecked Sendable {
    // @unchecked: all is set in `init` or by `ModelLayout.init`, before anyone else has it; the
    // descriptions it refers to are frozen.

    /// A strong reference, so that a layout is safe to use after its model was deallocated.
    /// Entities don't refer to layouts, so this makes no reference cycle.
    let entity: NSEntityDescription
    let name: String
    /// A number that no other layout of the process has.
    let number: UInt64
    private static let lastNumber = Atomic<UInt64>(0)
    /// The place in `ModelLayout.entities`: in pre-order, siblings by case-insensitive name.
    let index: Int
    let isAbstract: Bool
    let parent: EntityLayout?
    /// The index of the root of the inheritance tree, whose table holds the rows.
    let rootIndex: Int
    /// The hash of the root's name: the same in the layouts of all models of the process.
    let rootHash: Int
    /// The sub-tree is `index...lastDescendantIndex`, this entity included.
    fileprivate(set) var lastDescendantIndex: Int
    let slots: [PropertySlot]
    let slotsByName: SlotNames
    /// The attributes that rows have.
    let attributeSlots: [Int]
    /// The attributes whose values are worked out when an object is saved.
    let derivedSlots: [Int]
    let toOneSlots: [Int]
    let toManySlots: [Int]
    /// The slots that a save must check: those with rules, required ones and dates.
    let validatedSlots: [Int]
    /// The values of an object just inserted, one a slot.
    let defaultValues: [SlotValue]
    /// Whether none of these holds a reference.
    let hasPlainDefaults: Bool
    /// The slots of attributes that a new object has a value for, if only null.
    let insertedSlots: SlotSet
    /// The defaults that are no plain values, by slot.
    let defaultBoxes: [(slot: Int, content: AnyObject)]
    /// The class of the entity's objects, resolved once.
    let objectClassName: String?
    /// The slots that generated accessors mean.
    let accessors = AccessorTable()

    init(
        entity: NSEntityDescription,
        index: Int,
        parent: EntityLayout?,
        slots: [PropertySlot]
    ) {
        self.entity = entity
        self.name = entity.name ?? ""
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        self.index = index
        self.isAbstract = entity.isAbstract
        self.parent = parent
        self.rootIndex = parent?.rootIndex ?? index
        self.rootHash = parent?.rootHash ?? name.hashValue
        // Descendants are compiled after it, and raise this as they come.
        self.lastDescendantIndex = index
        self.slots = slots
        slotsByName = SlotNames(slots)
        attributeSlots = slots.filter { $0.kind.isInRow && $0.kind != .toOne }.map(\.index)
        derivedSlots = slots.filter {
            $0.kind.isInRow && $0.property is NSDerivedAttributeDescription
        }
        .map(\.index)
        toOneSlots = slots.filter { $0.kind == .toOne }.map(\.index)
        toManySlots = slots.filter { $0.kind == .toMany }.map(\.index)
        validatedSlots = slots.filter(\.needsValidation).map(\.index)
        defaultValues = slots.map(\.defaultValue)
        hasPlainDefaults = defaultValues.allSatisfy(\.isPlain)
        var insertedSlots = SlotSet()
        for slot in attributeSlots { insertedSlots.insert(slot) }
        self.insertedSlots = insertedSlots
        defaultBoxes = slots.compactMap { slot in
            if case .box(let content) = slot.defaultValue { (slot.index, content) } else { nil }
        }
        objectClassName = entity.givenClassName
    }

    /// The layout of an entity of no model.
    static let ofNothing = EntityLayout(
        entity: NSEntityDescription(),
        index: 0,
        parent: nil,
        slots: []
    )

    var isRoot: Bool { parent == nil }
    var hasSubentities: Bool { lastDescendantIndex > index }

    @inline(__always) func contains(_ entityIndex: Int) -> Bool {
        // In pre-order an entity and its sub-entities are one range.
        entityIndex >= index && entityIndex <= lastDescendantIndex
    }
    func slot(named name: String) -> PropertySlot? { slotsByName[name].map { slots[$0] } }
    @inline(__always) func slot(of key: QueryKey) -> Int? {
        key.place(inLayout: number) { slotsByName[$0] }
    }

    fileprivate func closeSubtree(at lastIndex: Int) { lastDescendantIndex = lastIndex }
}

/// All entities of a model, compiled.
///
/// > Threading: Immutable; any thread.
final class ModelLayout: @unchecked Sendable {
    // @unchecked: see EntityLayout.

    let entities: [EntityLayout]
    let entitiesByName: [String: EntityLayout]
    /// Whether some attribute's value follows from other rows.
    let hasDerivations: Bool
    /// Whether some attribute's value is worked out when an object is saved.
    let hasDerivedSlots: Bool

    /// Compiles the entities of a model that is frozen from now on.
    ///
    /// - Precondition: `ModelProblem` finds none in the model.
    init(_ model: NSManagedObjectModel) {
        var compiled: [EntityLayout] = []
        let ordered = ModelLayout.preorder(model.entities)
        var indexByEntity: [ObjectIdentifier: Int] = [:]
        for (index, entity) in ordered.enumerated() {
            indexByEntity[ObjectIdentifier(entity)] = index
        }
        // Parents come first in pre-order, so that their slots are there to begin with.
        for (index, entity) in ordered.enumerated() {
            let parent = entity.superentity
                .flatMap { indexByEntity[ObjectIdentifier($0)] }
                .map { compiled[$0] }
            // What is inherited comes first, whatever its name, so that a slot has the same number
            // in all sub-entities.
            var slots = parent?.slots ?? []
            // By name: slots must not depend on the order in which properties were set.
            for property in entity.ownProperties.sorted(by: { $0.name < $1.name }) {
                slots.append(
                    PropertySlot(
                        property,
                        index: slots.count,
                        entityIndex: index,
                        indexByEntity: indexByEntity
                    )
                )
            }
            compiled.append(
                EntityLayout(entity: entity, index: index, parent: parent, slots: slots)
            )
            // In pre-order each entity is, when it comes, the last descendant of all its ancestors.
            var ancestor: EntityLayout? = parent
            while let current = ancestor {
                current.closeSubtree(at: index)
                ancestor = current.parent
            }
        }
        entities = ModelLayout.linkInverses(compiled, RelationshipPairs(ordered))
        hasDerivations = entities.contains { entity in
            entity.derivedSlots.contains { entity.slots[$0].derivation != nil }
        }
        hasDerivedSlots = entities.contains { !$0.derivedSlots.isEmpty }
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }

    subscript(_ entity: NSEntityDescription) -> EntityLayout? {
        entity.name.flatMap { entitiesByName[$0] }
    }

    /// Roots in order, each followed at once by its sub-entities, and siblings by case-insensitive
    /// name. Entity numbers of stores follow this order.
    static func preorder(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        func sorted(_ siblings: [NSEntityDescription]) -> [NSEntityDescription] {
            // The numbers of entities in stores follow this order, which goes without regard to
            // case. Names that differ in case alone still need a fixed one.
            siblings.sorted {
                let left = ($0.name ?? "").lowercased(), right = ($1.name ?? "").lowercased()
                return left == right ? ($0.name ?? "") < ($1.name ?? "") : left < right
            }
        }
        let members = Set(entities.map(ObjectIdentifier.init))
        var result: [NSEntityDescription] = []
        func visit(_ entity: NSEntityDescription) {
            result.append(entity)
            let children = entity.subentities.filter { members.contains(ObjectIdentifier($0)) }
            for child in sorted(children) { visit(child) }
        }
        let roots = entities.filter { entity in
            guard let parent = entity.superentity else { return true }
            return !members.contains(ObjectIdentifier(parent))
        }
        for root in sorted(roots) { visit(root) }
        return result
    }

    /// Slots know the slot of their inverse only when all entities have theirs.
    private static func linkInverses(
        _ compiled: [EntityLayout],
        _ pairs: RelationshipPairs
    ) -> [EntityLayout] {
        // Made anew, since slots don't change once they are made. In pre-order a parent is linked
        // before its sub-entities.
        var linked: [EntityLayout] = []
        for layout in compiled {
            let slots = layout.slots.map { slot -> PropertySlot in
                guard let relationship = slot.property as? NSRelationshipDescription,
                    slot.destinationIndex >= 0
                else { return slot }
                // The former layout of the destination serves: numbers and ranges stay the same.
                return PropertySlot(
                    slot,
                    destination: compiled[slot.destinationIndex],
                    inverse: pairs.partner(of: relationship)
                )
            }
            let parent = layout.parent.map { linked[$0.index] }
            let copy = EntityLayout(
                entity: layout.entity,
                index: layout.index,
                parent: parent,
                slots: slots
            )
            copy.closeSubtree(at: layout.lastDescendantIndex)
            linked.append(copy)
        }
        return linked
    }
}
