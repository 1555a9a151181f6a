import Foundation

/// A property whose content is what a request finds.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    // @unchecked: see NSPropertyDescription.

    private var storedRequest: NSFetchRequest<any NSFetchRequestResult>?

    /// The request that finds the content.
    ///
    /// In its predicate, `$FETCH_SOURCE` is the object whose property it is, and
    /// `$FETCHED_PROPERTY` this description. What a request of a model file gives is a copy that
    /// knows its entity.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get {
            // Resolved when it is asked for: the request names its entity before all entities of
            // the model are made.
            guard let storedRequest, storedRequest.entity == nil,
                let model = declaringEntity?.model
            else { return storedRequest }
            return storedRequest.resolved(in: model)
        }
        set {
            checkMutable()
            storedRequest = newValue
        }
    }

    /// Has the request know its entity by name alone, for it may be the one that has this property.
    func releaseEntity() {
        guard let request = storedRequest?.copied(), request.entity != nil else { return }
        request.entity = nil
        storedRequest = request
    }

    override var archivedFields: DescriptionFields {
        var fields = commonFields
        fields["request"] = storedRequest?.archivedFields.values
        return fields
    }

    override func take(_ fields: DescriptionFields) {
        takeCommon(fields)
        storedRequest = fields["request"].map { NSFetchRequest.make(DescriptionFields($0)) }
    }

    override func copyAlone() -> NSPropertyDescription {
        let copy = copyFields(to: NSFetchedPropertyDescription())
        copy.storedRequest = storedRequest?.copied()
        return copy
    }
}
