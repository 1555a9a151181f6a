import Foundation

/// The whole content of a store in a file, by names: what a file format writes and reads.
struct StoreImage: @unchecked Sendable {
    // @unchecked: metadata are property lists, which nobody changes.

    /// A property that rows have a value for.
    struct Column: Equatable, Sendable {
        let name: String
        let kind: StorageKind
    }

    struct Object {
        let primaryKey: Int64
        let version: Int32
        /// By column. The entity index of a reference is a place in `entities`.
        let values: [SlotValue]
    }

    struct Entity {
        let name: String
        /// The next primary key of the inheritance tree, at its root; 0 elsewhere.
        var nextKey: Int64
        var columns: [Column]
        var objects: [Object] = []
    }

    /// The content of a to-many relationship that no row's to-one says: many-to-many, without
    /// inverse, or ordered.
    struct Link: Equatable {
        let owner: RowReference
        let name: String
        let members: [RowReference]
    }

    var metadata: [String: Any]
    var entities: [Entity] = []
    var links: [Link] = []
}

// MARK: From rows

extension StoreImage {
    /// The content of a store.
    init(_ tables: MemoryTables, nextKeys: [Int: Int64], metadata: [String: Any]) {
        self.metadata = metadata
        let layouts = tables.model.entities
        entities = layouts.map { layout in
            Entity(
                name: layout.name,
                nextKey: layout.isRoot ? nextKeys[layout.index] ?? 1 : 0,
                columns: Self.slots(layout).map { Column(name: $0.name, kind: $0.kind) }
            )
        }
        for root in layouts where root.isRoot {
            for row in tables.rows(root, includesSubentities: true, keys: nil) {
                let layout = layouts[row.entityIndex]
                entities[layout.index].objects.append(
                    Object(
                        primaryKey: row.primaryKey,
                        version: row.version,
                        values: Self.slots(layout).map { row.value($0.index, $0.kind) }
                    )
                )
                for slot in Self.linkSlots(layout) {
                    let members = tables.related(slot, row.primaryKey)
                    // Without content there is nothing to bring back: reading starts from empty
                    // relationships.
                    guard !members.isEmpty else { continue }
                    links.append(Link(owner: row.reference, name: slot.name, members: members))
                }
            }
        }
    }

    private static func slots(_ layout: EntityLayout) -> [PropertySlot] {
        layout.slots.filter { $0.kind.isInRow }
    }

    private static func linkSlots(_ layout: EntityLayout) -> [PropertySlot] {
        layout.toManySlots.map { layout.slots[$0] }
            .filter { $0.isManyToMany || $0.inverseSlot < 0 || $0.isOrdered }
    }
}

// MARK: To rows

extension StoreImage {
    /// The content as rows of a model. Entities and properties that the model does not have are
    /// left out, and so is what refers to them.
    ///
    /// - Throws: 259 for content that no store can have written.
    func contents(_ model: ModelLayout, url: URL?) throws -> (StoreChangeSet, [Int: Int64]) {
        var reading = StoreImageReading(image: self, model: model, url: url)
        return try reading.contents()
    }
}

/// Makes rows of an image that may be damaged.
private struct StoreImageReading {
    let image: StoreImage
    let model: ModelLayout
    let url: URL?
    private var layouts: [EntityLayout?] = []
    /// The keys of each root entity.
    private var keys: [Int: Set<Int64>] = [:]
    private var nextKeys: [Int: Int64] = [:]

    init(image: StoreImage, model: ModelLayout, url: URL?) {
        self.image = image
        self.model = model
        self.url = url
        layouts = image.entities.map { model.entitiesByName[$0.name] }
    }

    mutating func contents() throws -> (StoreChangeSet, [Int: Int64]) {
        // All keys first: a reference may lead to an object that comes later.
        for (entity, layout) in zip(image.entities, layouts) {
            if let layout { try takeKeys(of: entity, layout) }
        }
        var changes = StoreChangeSet()
        for (entity, layout) in zip(image.entities, layouts) {
            guard let layout else { continue }
            let slots = entity.columns.map { column in
                // A property of another kind by now is none that the file knows: its bits would be
                // misread.
                layout.slot(named: column.name).flatMap { $0.kind == column.kind ? $0 : nil }
            }
            for object in entity.objects {
                changes.inserts.append(try row(object, slots, layout))
            }
        }
        changes.toManyChanges = try image.links.compactMap(change)
        return (changes, nextKeys)
    }

    private mutating func takeKeys(of entity: StoreImage.Entity, _ layout: EntityLayout) throws {
        let root = layout.rootIndex
        // No object can be made of such a row, and no store writes one.
        guard !layout.isAbstract || entity.objects.isEmpty else {
            throw damaged("it has an object of the abstract entity \(entity.name)")
        }
        // Not what the file says alone: a next key that is in use would have a new row overwrite an
        // old one.
        var next = max(nextKeys[root] ?? 1, entity.nextKey)
        for object in entity.objects {
            guard (1...RowReference.maximumPrimaryKey).contains(object.primaryKey),
                keys[root, default: []].insert(object.primaryKey).inserted
            else {
                throw damaged("a key of the entity \(entity.name) is out of range or used twice")
            }
            next = max(next, object.primaryKey + 1)
        }
        nextKeys[root] = next
    }

    private func row(
        _ object: StoreImage.Object,
        _ slots: [PropertySlot?],
        _ layout: EntityLayout
    ) throws -> Row {
        var values = [SlotValue](repeating: .null, count: layout.slots.count)
        for (slot, value) in zip(slots, object.values) {
            guard let slot else { continue }
            if case .reference(let reference) = value {
                values[slot.index] = try local(reference, slot).map { .reference($0) } ?? .null
            } else {
                values[slot.index] = value
            }
        }
        return Row.make(
            layout: layout,
            primaryKey: object.primaryKey,
            // A row that is stored has been inserted, which made it version 1.
            version: max(1, object.version),
            values: values
        )
    }

    /// The reference in terms of the model; nil for a row of an entity that the model lacks.
    private func local(_ reference: RowReference, _ slot: PropertySlot) throws -> RowReference? {
        guard layouts.indices.contains(reference.entityIndex) else {
            throw damaged("the relationship \(slot.name) leads to an entity that is not there")
        }
        // An entity that the model lacks has no rows here, which is no damage; a row that should be
        // there is.
        guard let layout = layouts[reference.entityIndex] else { return nil }
        guard slot.isRelationship, model.entities[slot.destinationIndex].contains(layout.index),
            keys[layout.rootIndex]?.contains(reference.primaryKey) == true
        else { throw damaged("the relationship \(slot.name) leads to an object that is not there") }
        return RowReference(entityIndex: layout.index, primaryKey: reference.primaryKey)
    }

    private func change(_ link: StoreImage.Link) throws -> StoreChangeSet.ToManyChange? {
        guard layouts.indices.contains(link.owner.entityIndex) else {
            throw damaged("a relationship is one of an entity that is not there")
        }
        guard let layout = layouts[link.owner.entityIndex],
            let slot = layout.slot(named: link.name),
            slot.kind == .toMany
        else { return nil }
        guard keys[layout.rootIndex]?.contains(link.owner.primaryKey) == true else {
            throw damaged("the relationship \(link.name) is one of an object that is not there")
        }
        let members = try link.members.compactMap { try local($0, slot) }
        return StoreChangeSet.ToManyChange(
            owner: RowReference(entityIndex: layout.index, primaryKey: link.owner.primaryKey),
            slot: slot.index,
            // Of an ordered one-to-many only the order is told: who belongs to it is in the
            // members' own rows.
            added: slot.isManyToMany || slot.inverseSlot < 0 ? members : [],
            removed: [],
            order: slot.isOrdered ? members : nil
        )
    }

    private func damaged(_ what: String) -> CocoaError { .corruptFile(url, what) }
}
