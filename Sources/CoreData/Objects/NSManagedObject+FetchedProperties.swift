import Foundation

extension NSManagedObject {
    /// What a fetched property's request finds, as an array.
    ///
    /// Each access fetches; Apple's framework keeps the array until the object is refreshed. Empty
    /// if the object is in no context, or if the property has no request.
    final func fetchedObjects(_ property: NSFetchedPropertyDescription) -> NSArray {
        guard let context = registry.context, let request = property.fetchRequest?.copied() else {
            return []
        }
        request.predicate = request.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": self, "FETCHED_PROPERTY": property,
        ])
        do {
            return NSArray(array: try context.results(of: request))
        } catch {
            preconditionFailure(
                "The fetched property \(layout.name).\(property.name) could not be fetched: "
                    + "\(error)"
            )
        }
    }
}
