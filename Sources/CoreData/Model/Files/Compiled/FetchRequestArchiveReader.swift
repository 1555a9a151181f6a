import Foundation

/// Makes the fetch requests of an archived model: templates, and those of fetched properties.
struct FetchRequestArchiveReader {
    /// What all requests seen have: the four settings that are on by default.
    private static let usualFlags = 30

    let archive: KeyedArchive
    let unrecognized: UnrecognizedParts

    /// nil, and a note, for a request that can't be read whole: one without its condition would
    /// find what it must not.
    func makeRequest(
        _ object: ArchivedObject,
        entityName: String? = nil,
        at place: String
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        do throws(ArchiveError) {
            return try read(object, entityName: entityName, at: place)
        } catch {
            unrecognized.note("the fetch request is left out, since \(error.reason)", at: place)
            return nil
        }
    }

    private func read(
        _ object: ArchivedObject,
        entityName: String?,
        at place: String
    ) throws(ArchiveError) -> NSFetchRequest<any NSFetchRequestResult> {
        let stated = try object.object("NSEntity")?.string("NSEntityName")
        guard let name = stated ?? entityName else {
            throw ArchiveError(reason: "it has no entity")
        }
        // By name: requests of fetched properties are read before all entities are made.
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
        let reader = PredicateArchiveReader(archive)
        request.predicate = try object.object("NSPredicate")
            .map { object throws(ArchiveError) in try reader.predicate(object) }
        request.havingPredicate = try object.object("NSHavingPredicate")
            .map { object throws(ArchiveError) in try reader.predicate(object) }
        request.sortDescriptors = try object.object("NSSortDescriptors")
            .map { object throws(ArchiveError) in try reader.sortDescriptors(object) }
        request.fetchLimit = try count(object, "NSFetchLimit")
        request.fetchOffset = try count(object, "NSFetchOffset")
        request.fetchBatchSize = try count(object, "NSBatchSize")
        request.resultType = NSFetchRequestResultType(
            rawValue: UInt(try count(object, "NSResultType"))
        )
        request.propertiesToFetch = try names(object, "NSValuesToFetch")
        request.propertiesToGroupBy = try names(object, "NSValuesToGroupBy")
        request.relationshipKeyPathsForPrefetching = try names(
            object,
            "NSRelationshipKeyPathsForPrefetching"
        )
        if let flags = try object.integer("NSFetchRequestFlags"), flags != Self.usualFlags {
            unrecognized.note(
                "NSFetchRequestFlags is \(flags); what its bits mean is not known, and the "
                    + "defaults are taken",
                at: place
            )
        }
        _ = ModelArchiveValues(archive: archive, unrecognized: unrecognized)
            .unknownFields(of: object, ModelArchiveKeys.fetchRequest, at: place)
        return request
    }

    private func count(_ object: ArchivedObject, _ key: String) throws(ArchiveError) -> Int {
        let count = try object.integer(key) ?? 0
        // A negative count would stop the process where it becomes an unsigned number.
        guard count >= 0 else { throw object.malformed(key) }
        return count
    }

    /// Names of properties, some of which may be given by their descriptions.
    private func names(
        _ object: ArchivedObject,
        _ key: String
    ) throws(ArchiveError) -> [String]? {
        guard let list = try object.object(key) else { return nil }
        var names: [String] = []
        for element in try list.elements() {
            switch element {
            case .plain(.string(let name)): names.append(name)
            case .object(let property):
                let text = try property.stringContent()
                let propertyName = try property.string("NSPropertyName")
                guard let name = text ?? propertyName else { throw object.malformed(key) }
                names.append(name)
            default: throw object.malformed(key)
            }
        }
        return names
    }
}
