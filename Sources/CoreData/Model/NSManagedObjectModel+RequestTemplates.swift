import Foundation

/// Fetch requests that a model keeps by name.
extension NSManagedObjectModel {
    /// Copies of the templates, by name.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        requestTemplates.mapValues { $0.resolved(in: self) }
    }

    /// A copy of a template; nil if there is none of that name.
    ///
    /// A template with variables can't be executed as it is: use
    /// ``fetchRequestFromTemplate(withName:substitutionVariables:)``.
    public func fetchRequestTemplate(
        forName name: String
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        requestTemplates[name]?.resolved(in: self)
    }

    /// A copy of a template with values in place of its variables; nil if there is none of that
    /// name.
    ///
    /// - Parameter variables: The values, by the variables' names without dollar signs. Variables
    ///   that are not named here stay.
    public func fetchRequestFromTemplate(
        withName name: String,
        substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        let request = fetchRequestTemplate(forName: name)
        request?.predicate = request?.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Keeps a copy of a request as a template; nil removes the one of that name.
    ///
    /// - Precondition: No coordinator uses the model yet.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?,
        forName name: String
    ) {
        requestTemplates[name] = fetchRequestTemplate?.copied()
    }
}

extension NSFetchRequest {
    /// A copy, typed.
    func copied() -> Self {
        guard let copy = copy() as? Self else {
            fatalError("\(type(of: self)).copy() has to give an instance of its class.")
        }
        return copy
    }

    /// A copy that knows the entity of its name.
    func resolved(in model: NSManagedObjectModel) -> Self {
        let copy = copied()
        if copy.entity == nil, let name = entityName {
            copy.entity = model.entitiesByName[name]
        }
        return copy
    }
}
