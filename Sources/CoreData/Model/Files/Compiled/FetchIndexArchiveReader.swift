import Foundation

/// Makes the fetch indexes of one entity of an archived model.
struct FetchIndexArchiveReader {
    let archive: KeyedArchive
    let entity: NSEntityDescription
    let unrecognized: UnrecognizedParts

    /// nil, and a note, for an index over something else than properties.
    func makeIndex(_ object: ArchivedObject) throws(ArchiveError) -> NSFetchIndexDescription? {
        guard let name = try object.string("NSIndexName"), !name.isEmpty else {
            throw object.malformed("NSIndexName")
        }
        let place = "The index \(name) of \(entity.name ?? "")"
        let properties = entity.propertiesByName
        let values = ModelArchiveValues(archive: archive, unrecognized: unrecognized)
        var elements: [NSFetchIndexElementDescription] = []
        for element in try object.object("NSIndexElements")?.elements() ?? [] {
            guard case .object(let element) = element else {
                throw object.malformed("NSIndexElements")
            }
            _ = values.unknownFields(of: element, ModelArchiveKeys.fetchIndexElement, at: place)
            guard let propertyName = try element.string("NSPropertyName"),
                let property = properties[propertyName]
            else {
                unrecognized.note("an element is no property of the entity", at: place)
                // The whole index is left out: without one of its elements it would be another one.
                return nil
            }
            let type = try element.integer("NSFetchIndexElementType") ?? 0
            let description = NSFetchIndexElementDescription(
                property: property,
                collationType: type == 1 ? .rTree : .binary
            )
            if type != 0, type != 1 {
                unrecognized.note("the type \(type) of an element is not known", at: place)
            }
            description.isAscending = try element.boolean("NSAscending") ?? true
            elements.append(description)
        }
        let index = NSFetchIndexDescription(name: name, elements: elements)
        _ = values.unknownFields(of: object, ModelArchiveKeys.fetchIndex, at: place)
        do throws(ArchiveError) {
            index.partialIndexPredicate = try object.object("NSPartialIndexPredicate")
                .map { object throws(ArchiveError) in
                    try PredicateArchiveReader(archive).predicate(object)
                }
        } catch {
            unrecognized.note("the predicate cannot be read, since \(error.reason)", at: place)
            // Without its predicate the index would be over all rows.
            return nil
        }
        return index
    }
}
