import Foundation

/// A property whose content is what a request finds.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    // @unchecked: see NSPropertyDescription.

    /// The request as a model file words it; `$FETCH_SOURCE` is the object, and
    /// `$FETCHED_PROPERTY` this description.
    var template: RequestTemplate? { willSet { checkMutable() } }

    override func copyAlone() -> NSPropertyDescription {
        let copy = copyFields(to: NSFetchedPropertyDescription())
        copy.template = template
        return copy
    }
}
