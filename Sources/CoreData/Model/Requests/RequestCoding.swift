import Foundation

/// The class of fetch requests in archives of Foundation's, which have no names for classes with
/// parameters.
///
/// What comes out is a request of any result type, or one for objects of its entity where that is
/// known.
final class ArchivedFetchRequest: NSObject {
    /// Tells Foundation's unarchiver what stands for the name, once.
    static let isNamed: Bool = {
        for name in ["NSFetchRequest", NSStringFromClass(ArchivedFetchRequest.self)] {
            NSKeyedUnarchiver.setClass(
                NSFetchRequest<any NSFetchRequestResult>.self,
                forClassName: name
            )
        }
        return true
    }()
}

extension NSFetchRequest<any NSFetchRequestResult> {
    /// A request with fields of an archive.
    static func make(_ fields: DescriptionFields) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(
            entityName: fields.text("entity") ?? ""
        )
        request.take(fields)
        return request
    }
}

extension NSFetchRequest {
    var archivedFields: DescriptionFields {
        var fields = DescriptionFields()
        fields["entity"] = entityName
        fields["predicate"] = predicate.map { DescriptionFields.archive($0) }
        fields["havingPredicate"] = havingPredicate.map { DescriptionFields.archive($0) }
        fields["sortDescriptors"] = sortDescriptors?.map { DescriptionFields.archive($0) }
        fields["limit"] = fetchLimit
        fields["offset"] = fetchOffset
        fields["batchSize"] = fetchBatchSize
        fields["resultType"] = Int(resultType.rawValue)
        fields["includesSubentities"] = includesSubentities
        fields["includesPropertyValues"] = includesPropertyValues
        fields["includesPendingChanges"] = includesPendingChanges
        fields["returnsObjectsAsFaults"] = returnsObjectsAsFaults
        fields["returnsDistinctResults"] = returnsDistinctResults
        fields["shouldRefreshRefetchedObjects"] = shouldRefreshRefetchedObjects
        fields["prefetching"] = relationshipKeyPathsForPrefetching
        fields["propertiesToFetch"] = propertiesToFetch.map(Self.archived)
        fields["propertiesToGroupBy"] = propertiesToGroupBy.map(Self.archived)
        return fields
    }

    func take(_ fields: DescriptionFields) {
        predicate = fields.object("predicate", of: NSPredicate.self)
        havingPredicate = fields.object("havingPredicate", of: NSPredicate.self)
        // No list and an empty one are different values.
        if fields["sortDescriptors"] != nil {
            sortDescriptors = fields.objects("sortDescriptors", of: NSSortDescriptor.self)
        }
        fetchLimit = fields.integer("limit") ?? 0
        fetchOffset = fields.integer("offset") ?? 0
        fetchBatchSize = fields.integer("batchSize") ?? 0
        resultType = NSFetchRequestResultType(
            rawValue: UInt(clamping: fields.integer("resultType") ?? 0)
        )
        includesSubentities = fields.isSet("includesSubentities")
        includesPropertyValues = fields.isSet("includesPropertyValues")
        includesPendingChanges = fields.isSet("includesPendingChanges")
        returnsObjectsAsFaults = fields.isSet("returnsObjectsAsFaults")
        returnsDistinctResults = fields.isSet("returnsDistinctResults")
        shouldRefreshRefetchedObjects = fields.isSet("shouldRefreshRefetchedObjects")
        if fields["prefetching"] != nil {
            relationshipKeyPathsForPrefetching = fields.texts("prefetching")
        }
        propertiesToFetch = Self.properties(fields, "propertiesToFetch")
        propertiesToGroupBy = Self.properties(fields, "propertiesToGroupBy")
    }

    /// Columns that are computed go with their expression, others by their name.
    private static func archived(_ properties: [Any]) -> [Any] {
        properties.compactMap { property in
            if let expression = property as? NSExpressionDescription {
                return expression.fieldsWithKind.values
            }
            return (property as? NSPropertyDescription)?.name ?? property as? String
        }
    }

    private static func properties(_ fields: DescriptionFields, _ key: String) -> [Any]? {
        guard fields[key] != nil else { return nil }
        return fields.list(key).map { element -> Any in
            if let name = DescriptionFields.native(element) as? String { return name }
            return NSPropertyDescription.make(DescriptionFields(element))
        }
    }
}
