import Foundation

// Fetch requests and indexes.
extension ModelArchiveWriter {
    /// A reference to a fetch request; nil for one that has no form in archives.
    func request(
        _ request: NSFetchRequest<any NSFetchRequestResult>,
        at place: String
    ) -> PropertyListValue? {
        let writer = PredicateArchiveWriter(builder: builder)
        let entity = request.entity ?? request.entityName.flatMap { model.entitiesByName[$0] }
        var fields: [String: PropertyListValue] = [
            "NSEntity": reference(entity),
            "NSFetchLimit": .integer(Int64(request.fetchLimit)),
            "NSFetchOffset": .integer(Int64(request.fetchOffset)),
            "NSBatchSize": .integer(Int64(request.fetchBatchSize)),
            "NSResultType": .integer(Int64(request.resultType.rawValue)),
            "NSAllocationType": .integer(0), "NSHasFetchRequestFlags": .boolean(true),
            "NSFetchRequestFlags": .integer(30),
            "NSValuesToFetch": names(request.propertiesToFetch),
            "NSValuesToGroupBy": names(request.propertiesToGroupBy),
            "NSRelationshipKeyPathsForPrefetching": names(
                request.relationshipKeyPathsForPrefetching
            ),
        ]
        do throws(UnwritableQuery) {
            fields["NSPredicate"] = try writer.predicate(request.predicate)
            fields["NSHavingPredicate"] = try writer.predicate(request.havingPredicate)
            fields["NSSortDescriptors"] = try writer.sortDescriptors(request.sortDescriptors)
        } catch {
            omit("the fetch request is left out, since it holds \(error.what)", at: place)
            return nil
        }
        // Files show the flags of default requests only, and those are what is written.
        if !hasUsualFlags(request) {
            omit("how archives say that a fetch request has other flags is not known", at: place)
        }
        return builder.object(
            ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"],
            fields
        )
    }

    private func hasUsualFlags(_ request: NSFetchRequest<any NSFetchRequestResult>) -> Bool {
        request.includesSubentities && request.includesPropertyValues
            && request.includesPendingChanges && request.returnsObjectsAsFaults
            && !request.returnsDistinctResults && !request.shouldRefreshRefetchedObjects
    }

    /// Properties go by their names.
    private func names(_ properties: [Any]?) -> PropertyListValue {
        guard let properties else { return KeyedArchiveBuilder.null }
        let names = properties.compactMap {
            ($0 as? String) ?? ($0 as? NSPropertyDescription)?.name
        }
        return builder.array(names.map { builder.string($0) })
    }

    /// A reference to an index; nil for one with a predicate that has no form in archives.
    func index(
        _ index: NSFetchIndexDescription,
        of entity: NSEntityDescription
    ) -> PropertyListValue? {
        // Reserved first, for the elements refer back to it.
        let place = builder.reserve()
        var fields: [String: PropertyListValue] = [
            "NSIndexName": builder.string(index.name), "NSEntity": reference(entity),
        ]
        do throws(UnwritableQuery) {
            fields["NSPartialIndexPredicate"] = try PredicateArchiveWriter(builder: builder)
                .predicate(index.partialIndexPredicate)
        } catch {
            omit(
                "the index \(index.name) is left out, since it holds \(error.what)",
                at: "The entity \(entity.name ?? "")"
            )
            return nil
        }
        fields["NSIndexElements"] = builder.array(
            index.elements.map { element in
                builder.object(
                    ["NSFetchIndexElementDescription", "NSObject"],
                    [
                        "NSPropertyName": builder.string(element.propertyName),
                        "NSFetchIndexElementType": .integer(
                            Int64(element.collationType.rawValue)
                        ),
                        "NSAscending": .boolean(element.isAscending),
                        "NSFetchIndexDescription": .reference(place),
                    ]
                )
            }
        )
        builder.fill(place, ["NSFetchIndexDescription", "NSObject"], fields)
        return .reference(place)
    }
}
