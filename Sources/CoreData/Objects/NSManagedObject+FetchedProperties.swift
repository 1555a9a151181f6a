import Foundation

extension NSManagedObject {
    /// What a fetched property's request found, as an array that is kept until the object is
    /// refreshed or becomes a fault.
    ///
    /// Empty if the object is in no context, or if the property has no request; also, with a report
    /// (``UnreadableValue``), if it can't be fetched.
    final func fetchedObjects(_ property: NSFetchedPropertyDescription, _ slot: Int) -> NSArray {
        fireIfFault()
        if let known = overlay?.box(slot).content as? NSArray { return known }
        do {
            let objects = try results(of: property)
            ensureOverlay().setBox(slot, objects)
            return objects
        } catch {
            // Not kept: the next access fetches again.
            let name = "The fetched property \(layout.name).\(property.name)"
            UnreadableValue.report(error, reading: name, key: property.name, of: self)
            return []
        }
    }

    private func results(of property: NSFetchedPropertyDescription) throws -> NSArray {
        // A copy, for the model's request is shared by all objects, contexts and threads.
        guard let context = registry.context, let request = property.fetchRequest?.copied() else {
            return []
        }
        request.predicate = request.predicate
            .map(property.describingItself)?
            .withSubstitutionVariables(["FETCH_SOURCE": self])
        return NSArray(array: try context.baseFetch(of: request))
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
