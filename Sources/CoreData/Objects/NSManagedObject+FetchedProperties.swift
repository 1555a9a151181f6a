import Foundation

extension NSManagedObject {
    /// What a fetched property's request found, as an array that is kept until the object is
    /// refreshed or becomes a fault.
    ///
    /// Empty if the object is in no context, or if the property has no request.
    final func fetchedObjects(_ property: NSFetchedPropertyDescription, _ slot: Int) -> NSArray {
        fireIfFault()
        if let known = overlay?.box(slot).content as? NSArray { return known }
        let objects = results(of: property)
        ensureOverlay().setBox(slot, objects)
        return objects
    }

    private func results(of property: NSFetchedPropertyDescription) -> NSArray {
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
