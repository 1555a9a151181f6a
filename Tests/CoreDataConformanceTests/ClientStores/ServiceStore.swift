import CoreData
import Foundation

/// What a small incremental store talks to, in place of a web service: records by ID.
final class Service: @unchecked Sendable {
    // @unchecked: all is behind the lock.
    struct Record {
        var entity: String
        var version: UInt64 = 1
        var values: [String: Any] = [:]
        /// To-one relationships have one ID.
        var related: [String: [String]] = [:]
    }
    private let lock = NSLock()
    private var records: [String: Record] = [:]
    private var last = 0
    /// The requests made, by what they were for.
    private var log: [String: Int] = [:]

    func newID(_ entity: String) -> String {
        lock.withLock {
            last += 1
            return "\(entity.lowercased())-\(last)"
        }
    }
    func count(of request: String) -> Int { lock.withLock { log[request] ?? 0 } }
    func note(_ request: String) { lock.withLock { log[request, default: 0] += 1 } }
    func record(_ id: String) -> Record? { lock.withLock { records[id] } }
    func all(_ entities: Set<String>) -> [(id: String, record: Record)] {
        lock.withLock {
            records.filter { entities.contains($0.value.entity) }
                .map { (id: $0.key, record: $0.value) }.sorted { $0.id < $1.id }
        }
    }
    /// What someone else does to the service.
    func change(_ id: String, _ body: (inout Record) -> Void) {
        lock.withLock {
            guard var record = records[id] else { return }
            body(&record)
            record.version += 1
            records[id] = record
        }
    }
    /// All or nothing: the IDs whose version is not the expected one, if there are any.
    func commit(
        put: [String: Record],
        delete: [String],
        expecting versions: [String: UInt64]
    ) -> [String] {
        lock.withLock {
            let stale = versions.filter { records[$0.key]?.version != $0.value }.keys.sorted()
            guard stale.isEmpty else { return stale }
            for (id, record) in put {
                var record = record
                record.version = (records[id]?.version ?? 0) + 1
                records[id] = record
            }
            for id in delete { records[id] = nil }
            return []
        }
    }
}

/// A small incremental store over a `Service`.
final class ServiceStore: NSIncrementalStore, @unchecked Sendable {
    // @unchecked: `seen` and `registered` are behind the lock.
    static let storeType = "ServiceStore"
    private static let registration: Void = NSPersistentStoreCoordinator.registerStoreClass(
        ServiceStore.self,
        forStoreType: storeType
    )
    static let serviceOption = "service"

    static func register() { registration }

    private let lock = NSLock()
    /// The versions that contexts have read or saved.
    private var seen: [String: UInt64] = [:]
    private var registered: [NSManagedObjectID: Int] = [:]

    override var type: String { Self.storeType }
    private var service: Service {
        guard let service = options?[Self.serviceOption] as? Service else {
            fatalError("The store was added without a service.")
        }
        return service
    }
    var registeredCount: Int { lock.withLock { registered.values.reduce(0, +) } }

    override func loadMetadata() throws {
        metadata = [
            NSStoreTypeKey: Self.storeType,
            NSStoreUUIDKey: "5E4F1C1E-0000-4000-8000-000000000001",
        ]
    }

    private func id(_ objectID: NSManagedObjectID) -> String {
        referenceObject(for: objectID) as? String ?? ""
    }

    private func objectID(_ id: String, _ entity: String) throws -> NSManagedObjectID {
        guard
            let description = persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity]
        else { throw CocoaError(.coderInvalidValue) }
        return newObjectID(for: description, referenceObject: id)
    }

    // MARK: Requests

    override func execute(
        _ request: NSPersistentStoreRequest,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        if let save = request as? NSSaveChangesRequest { return try execute(save) }
        guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>, let context,
            let entity = fetch.entity
        else { throw CocoaError(.featureUnsupported) }
        service.note("fetch")
        var names: Set<String> = [entity.name ?? ""]
        func add(_ parent: NSEntityDescription) {
            for child in parent.subentities {
                names.insert(child.name ?? "")
                add(child)
            }
        }
        if fetch.includesSubentities { add(entity) }
        var found = service.all(names).filter { _, record in
            fetch.predicate?.evaluate(with: record.values as NSDictionary) ?? true
        }
        if let key = fetch.sortDescriptors?.first?.key {
            found.sort {
                ($0.record.values[key] as? String ?? "") < ($1.record.values[key] as? String ?? "")
            }
        }
        found = Array(found.dropFirst(fetch.fetchOffset))
        if fetch.fetchLimit > 0 { found = Array(found.prefix(fetch.fetchLimit)) }
        switch fetch.resultType {
        case .countResultType: return [NSNumber(value: found.count)]
        case .dictionaryResultType: return found.map { $0.record.values as NSDictionary }
        default:
            return try found.map { id, record in
                context.object(with: try objectID(id, record.entity))
            }
        }
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID,
        with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        service.note("values")
        let id = id(objectID)
        guard let record = service.record(id) else {
            throw CocoaError(
                CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError)
            )
        }
        lock.withLock { seen[id] = record.version }
        return NSIncrementalStoreNode(
            objectID: objectID,
            withValues: record.values,
            version: record.version
        )
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription,
        forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        service.note("relationship")
        let ids = try (service.record(id(objectID))?.related[relationship.name] ?? []).compactMap {
            id in try service.record(id).map { try self.objectID(id, $0.entity) }
        }
        return relationship.isToMany ? ids : ids.first ?? NSNull()
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            newObjectID(
                for: object.entity,
                referenceObject: service.newID(object.entity.name ?? "")
            )
        }
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        lock.withLock { for id in objectIDs { registered[id, default: 0] += 1 } }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        lock.withLock { for id in objectIDs { registered[id, default: 0] -= 1 } }
    }

    // MARK: Saving

    private func execute(_ save: NSSaveChangesRequest) throws -> Any {
        service.note("save")
        let changed = (save.updatedObjects ?? []).union(save.deletedObjects ?? [])
        var put: [String: Service.Record] = [:]
        for object in (save.insertedObjects ?? []).union(save.updatedObjects ?? []) {
            put[id(object.objectID)] = record(object)
        }
        let versions = lock.withLock {
            changed.reduce(into: [String: UInt64]()) { $0[id($1.objectID)] = seen[id($1.objectID)] }
        }
        let stale = service.commit(
            put: put,
            delete: (save.deletedObjects ?? []).map { id($0.objectID) },
            expecting: versions
        )
        guard stale.isEmpty else {
            let conflicts = changed.filter { stale.contains(id($0.objectID)) }.map { object in
                NSMergeConflict(
                    source: object,
                    newVersion: 2,
                    oldVersion: 1,
                    cachedSnapshot: nil,
                    persistedSnapshot: nil
                )
            }
            throw CocoaError(
                CocoaError.Code(rawValue: NSManagedObjectMergeError),
                userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts]
            )
        }
        lock.withLock { for id in put.keys { seen[id] = service.record(id)?.version } }
        return []
    }

    private func record(_ object: NSManagedObject) -> Service.Record {
        var record = Service.Record(entity: object.entity.name ?? "")
        for name in object.entity.attributesByName.keys where name != "nickname" {
            record.values[name] = object.value(forKey: name)
        }
        for name in object.entity.relationshipsByName.keys {
            let objects: [Any] =
                switch object.value(forKey: name) {
                case let one as NSManagedObject: [one]
                case let ordered as NSOrderedSet: ordered.array
                case let set as NSSet: set.allObjects
                default: []
                }
            record.related[name] = objects.compactMap { $0 as? NSManagedObject }
                .map { id($0.objectID) }
        }
        return record
    }
}
