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
        request.predicate = request.predicate
            .map(property.describingItself)?
            .withSubstitutionVariables(["FETCH_SOURCE": self])
        do {
            return NSArray(array: try context.results(of: request))
        } catch {
            fatalError(
                "The fetched property \(layout.name).\(property.name) could not be fetched: "
                    + "\(error)"
            )
        }
    }
}

extension NSFetchedPropertyDescription {
    /// A predicate with the values of `$FETCHED_PROPERTY.userInfo.limit` and the like in it.
    fileprivate func describingItself(_ predicate: NSPredicate) -> NSPredicate {
        let facts: NSDictionary = ["name": name, "userInfo": userInfo ?? [:]]
        let walk = PredicateRewriting { part, walk in
            switch part.node {
            case .variable("FETCHED_PROPERTY"): return NSExpression(forConstantValue: facts)
            case .keyPath(let operand?, let path):
                let root = walk.expression(operand)
                guard case .constant(let value as NSDictionary) = root.node else { return nil }
                return NSExpression(forConstantValue: value.value(forKeyPath: path))
            default: return nil
            }
        }
        return walk.predicate(predicate)
    }
}
