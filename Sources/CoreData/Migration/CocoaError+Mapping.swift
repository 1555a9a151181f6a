import Foundation

/// Errors of mappings, which speak of models and of what can't be inferred.
extension CocoaError {
    /// 134140: there is no mapping model, and none can be inferred or may be.
    static func missingMappingModel(
        _ url: URL?,
        source: NSManagedObjectModel,
        destination: NSManagedObjectModel,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        let cause = (underlying as NSError?)?.localizedDescription
        let remedy =
            cause.map { "none can be inferred. \($0)" }
            ?? "inferring one is off; add a mapping model to the resources, or set "
            + "NSInferMappingModelAutomaticallyOption."
        return make(
            NSMigrationMissingMappingModelError,
            "The store \(display(url)) was not migrated and is as it was: no mapping model from its "
                + "model to the new one was found, and \(remedy)",
            url: url,
            underlying: underlying,
            info: [
                "reason": "Can't find or automatically infer mapping model for migration",
                "sourceModel": source, "destinationModel": destination,
            ]
        )
    }

    /// 134190: the mapping from one model to another can't be inferred.
    static func inferredMapping(_ problems: [InferenceProblem]) -> CocoaError {
        let list = problems.map { problem in
            let name = problem.property.map { "\(problem.entity).\($0)" } ?? problem.entity
            return "\(name): \(problem.reason)"
        }
        var info: [String: Any] = [:]
        if let first = problems.first {
            info["entity"] = first.entity
            info["property"] = first.property
            info["reason"] = first.reason
        }
        return make(
            NSInferredMappingModelError,
            "The mapping between the models can't be inferred (\(list.joined(separator: "; "))): "
                + "make a mapping model, or go through a version in between.",
            info: info
        )
    }
}
