import CoreData

/// A small atomic store: a JSON file with an array of objects.
final class JSONStore: NSAtomicStore, @unchecked Sendable {
    // @unchecked: changed by the test that has it only.
    static let storeType = "JSONStore"
    private static let registration: Void = NSPersistentStoreCoordinator.registerStoreClass(
        JSONStore.self,
        forStoreType: storeType
    )

    /// Makes `save()` throw.
    var isFailing = false
    var saveCount = 0
    private var lastNumber = 0

    /// Whether a coordinator has made the store.
    let isMadeByCoordinator: Bool

    /// Makes a store that belongs to no coordinator, as clients make one to read a file with it.
    init(reading url: URL) {
        isMadeByCoordinator = false
        super.init(persistentStoreCoordinator: nil, configurationName: nil, at: url)
    }

    override init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?,
        configurationName: String?,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        isMadeByCoordinator = true
        super.init(
            persistentStoreCoordinator: coordinator,
            configurationName: configurationName,
            at: url,
            options: options
        )
    }

    static func register() { registration }

    override var type: String { Self.storeType }

    // MARK: Metadata

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try document(at: url)?["metadata"] as? [String: Any] ?? [:]
    }

    private static func document(at url: URL) throws -> [String: Any]? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
    }

    // MARK: Reading

    override func load() throws {
        guard let url, let document = try Self.document(at: url),
            let model = persistentStoreCoordinator?.managedObjectModel
        else { return }
        let objects = document["objects"] as? [[String: Any]] ?? []
        var nodes: [Int: NSAtomicStoreCacheNode] = [:]
        for object in objects {
            guard let name = object["entity"] as? String, let number = object["id"] as? Int,
                let entity = model.entitiesByName[name]
            else { throw CocoaError(.fileReadCorruptFile) }
            let id = objectID(for: entity, withReferenceObject: number)
            nodes[number] = NSAtomicStoreCacheNode(objectID: id)
            lastNumber = max(lastNumber, number)
        }
        for object in objects {
            guard let number = object["id"] as? Int, let node = nodes[number] else { continue }
            for (key, value) in object["values"] as? [String: Any] ?? [:] {
                node.setValue(value, forKey: key)
            }
            let entity = node.objectID.entity
            for (key, value) in object["relationships"] as? [String: [Int]] ?? [:] {
                let related = value.compactMap { nodes[$0] }
                let relationship = entity.relationshipsByName[key]
                if relationship?.isToMany == false {
                    node.setValue(related.first, forKey: key)
                } else if relationship?.isOrdered == true {
                    node.setValue(NSOrderedSet(array: related), forKey: key)
                } else {
                    node.setValue(NSSet(array: related), forKey: key)
                }
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    // MARK: Writing

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        lastNumber += 1
        return lastNumber
    }

    override func save() throws {
        if isFailing { throw CocoaError(.fileWriteUnknown) }
        saveCount += 1
        let objects = cacheNodes().map(object).sorted {
            ($0["id"] as? Int ?? 0) < ($1["id"] as? Int ?? 0)
        }
        let kept = metadata.filter { $0.value is String }
        let data = try JSONSerialization.data(
            withJSONObject: ["metadata": kept, "objects": objects],
            options: [.sortedKeys, .prettyPrinted]
        )
        if let url { try data.write(to: url, options: .atomic) }
    }

    private func object(_ node: NSAtomicStoreCacheNode) -> [String: Any] {
        var values: [String: Any] = [:], relationships: [String: [Int]] = [:]
        for (name, property) in node.objectID.entity.propertiesByName {
            guard let value = node.value(forKey: name) else { continue }
            if property is NSRelationshipDescription {
                relationships[name] = numbers(value)
            } else if value is String || value is NSNumber {
                values[name] = value
            }
        }
        return [
            "entity": node.objectID.entity.name ?? "", "id": number(node), "values": values,
            "relationships": relationships,
        ]
    }

    private func numbers(_ value: Any) -> [Int] {
        switch value {
        case let ordered as NSOrderedSet:
            ordered.array.compactMap { $0 as? NSAtomicStoreCacheNode }.map(number)
        case let set as NSSet:
            set.allObjects.compactMap { $0 as? NSAtomicStoreCacheNode }.map(number).sorted()
        case let node as NSAtomicStoreCacheNode: [number(node)]
        default: []
        }
    }

    private func number(_ node: NSAtomicStoreCacheNode) -> Int {
        referenceObject(for: node.objectID) as? Int ?? 0
    }
}
