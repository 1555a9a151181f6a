import Foundation

/// Which new objects were made of which old ones, by entity mapping.
///
/// What an earlier pass made is kept by URI, since each pass opens the stores anew.
///
/// > Threading: Confined to the thread that migrates.
final class MigrationAssociations {
    private struct Table {
        var made: [NSManagedObject] = []
        // By ID, which the objects of a source that is only read keep.
        var destinations: [NSManagedObjectID: [NSManagedObject]] = [:]
        // By identity, for new objects get their IDs with the save; `made` keeps them alive.
        var sources: [ObjectIdentifier: [NSManagedObject]] = [:]

        mutating func associate(_ source: NSManagedObject, _ destination: NSManagedObject) {
            made.append(destination)
            destinations[source.objectID, default: []].append(destination)
            sources[ObjectIdentifier(destination), default: []].append(source)
        }
    }
    private struct EarlierTable {
        var made: [URL] = []
        var destinations: [URL: [URL]] = [:]
        var sources: [URL: [URL]] = [:]
    }
    private var tables: [String: Table] = [:]
    private var earlier: [String: EarlierTable] = [:]

    func associate(_ source: NSManagedObject, _ destination: NSManagedObject, _ mapping: String) {
        // In place: a table that is taken out while the dictionary has it is copied by each change.
        tables[mapping, default: Table()].associate(source, destination)
    }

    /// The objects that a mapping has made in this pass.
    func made(_ mapping: String) -> [NSManagedObject] { tables[mapping]?.made ?? [] }

    /// All objects that a mapping has made.
    func destinations(_ mapping: String, in context: NSManagedObjectContext) -> [NSManagedObject] {
        (earlier[mapping]?.made ?? []).compactMap { object($0, in: context) } + made(mapping)
    }

    /// All objects that a mapping was given.
    func sources(_ mapping: String, in context: NSManagedObjectContext) -> [NSManagedObject] {
        let keys = tables[mapping]?.destinations.keys.map { context.object(with: $0) } ?? []
        return (earlier[mapping]?.destinations.keys.compactMap { object($0, in: context) } ?? [])
            + keys
    }

    func destinations(
        of source: NSManagedObject,
        _ mapping: String,
        in context: NSManagedObjectContext
    ) -> [NSManagedObject] {
        if let known = tables[mapping]?.destinations[source.objectID] { return known }
        guard let table = earlier[mapping] else { return [] }
        return (table.destinations[source.objectID.uriRepresentation()] ?? [])
            .compactMap { object($0, in: context) }
    }

    func sources(
        of destination: NSManagedObject,
        _ mapping: String,
        in context: NSManagedObjectContext
    ) -> [NSManagedObject] {
        if let known = tables[mapping]?.sources[ObjectIdentifier(destination)] { return known }
        guard let table = earlier[mapping] else { return [] }
        return (table.sources[destination.objectID.uriRepresentation()] ?? [])
            .compactMap { object($0, in: context) }
    }

    /// Puts what a pass has made, and has saved, behind.
    func endPass() {
        // Everything was saved: the IDs are those that the next pass will find in the file.
        for (mapping, table) in tables {
            var past = earlier.removeValue(forKey: mapping) ?? EarlierTable()
            past.made += table.made.map { $0.objectID.uriRepresentation() }
            for (source, destinations) in table.destinations {
                past.destinations[source.uriRepresentation(), default: []] +=
                    destinations.map { $0.objectID.uriRepresentation() }
            }
            for object in table.made {
                past.sources[object.objectID.uriRepresentation()] =
                    table.sources[ObjectIdentifier(object)]?
                    .map { $0.objectID.uriRepresentation() }
            }
            earlier[mapping] = past
        }
        tables = [:]
    }

    /// Forgets what a pass has made.
    func dropPass() { tables = [:] }

    func reset() {
        tables = [:]
        earlier = [:]
    }

    private func object(_ uri: URL, in context: NSManagedObjectContext) -> NSManagedObject? {
        context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
            .map { context.object(with: $0) }
    }
}
